import { type InputRequired, isInputRequired } from '../context/input-required.js';
import { isBytes, toBase64 } from '../protocol/base64.js';
import { after, type MaybePromise } from '../protocol/maybe-promise.js';
import type { CallToolResult } from '../protocol/results.js';
import { toJson } from '../protocol/to-json.js';
import type { ValuePlan } from '../schema/index.js';
import { isContent, isContentList, isToolResult } from './result-shapes.js';
import { StructuredResult } from './structured-result.js';

/** Turns what a tool returned into its result; what it still needs stays as it is. */
export type EncodeTool = (value: unknown) => MaybePromise<CallToolResult | InputRequired>;

/**
 * Compiles the result plan of a tool. With an output schema every value is structured content and is checked;
 * without one, the kind of the value decides.
 */
export function compileToolEncoder(output: ValuePlan | undefined): EncodeTool {
  return output ? (value) => encodeChecked(value, output) : encodeByKind;
}

function encodeChecked(value: unknown, output: ValuePlan): MaybePromise<CallToolResult | InputRequired> {
  if (isInputRequired(value)) return value;
  if (isToolResult(value)) {
    // A failed result need not fit the schema (server/tools, "Output Schema").
    if (value.isError === true) return value;
    return after(output.check(value.structuredContent), (structuredContent) => ({
      ...value,
      structuredContent,
    }));
  }
  return after(output.check(value), (structured) => new StructuredResult(structured));
}

function encodeByKind(value: unknown): CallToolResult | InputRequired {
  switch (typeof value) {
    case 'string':
      return { content: [{ type: 'text', text: value }] };
    case 'undefined':
      return { content: [] };
    case 'object':
      return encodeObject(value);
    default:
      return { content: [{ type: 'text', text: String(value) }] };
  }
}

function encodeObject(value: object | null): CallToolResult | InputRequired {
  if (value === null) return { content: [] };
  if (isInputRequired(value) || isToolResult(value)) return value;
  if (isContent(value)) return { content: [value] };
  if (isContentList(value)) return { content: value };
  if (isBytes(value)) {
    const resource = {
      uri: 'data:application/octet-stream',
      mimeType: 'application/octet-stream',
      blob: toBase64(value),
    };
    return { content: [{ type: 'resource', resource }] };
  }
  return new StructuredResult(toJson(value));
}
