// The page of `sigil dev` uses this file too, so it imports nothing from Node or from the framework.
import { isObject, type JsonObject } from '../json.js';

/**
 * Returns the headers that contain copies of a tool's arguments. Gateways that do not read request bodies can use these
 * headers. The keyword `x-mcp-header` in the input schema names the headers (2026-07-28, server/tools, "x-mcp-header").
 */
export function parameterHeaders(schema: unknown, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  collect(schema, args, headers);
  return headers;
}

function collect(schema: unknown, value: unknown, headers: Record<string, string>): void {
  if (!isObject(schema) || !isObject(schema['properties']) || !isObject(value)) return;
  for (const [name, property] of Object.entries(schema['properties'])) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const header = isObject(property) ? property['x-mcp-header'] : undefined;
    if (typeof header === 'string' && ['string', 'number', 'boolean'].includes(typeof given))
      headers[`mcp-param-${header}`] = headerValue(String(given));
    collect(property, given, headers);
  }
}

/** Returns the header `Mcp-Name` for a request, if its method has one. */
export function nameHeader(method: string, params: JsonObject): Record<string, string> {
  const member = NAMED_BY[method] ?? (method.startsWith('tasks/') ? 'taskId' : undefined);
  const name = member === undefined ? undefined : params[member];
  return typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {};
}

const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

const SENTINEL = '=?base64?';

/**
 * Returns a text in a form that is valid in a header: unchanged, or as base64 between sentinels (2026-07-28,
 * transports, "Value Encoding").
 */
function headerValue(text: string): string {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text) && !text.startsWith(SENTINEL)) return text;
  const bytes = new TextEncoder().encode(text);
  return `${SENTINEL}${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`;
}
