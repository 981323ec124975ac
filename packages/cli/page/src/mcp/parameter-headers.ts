import { isObject, type JsonObject } from './messages.js';

/** The headers that repeat arguments of a tool, as the keyword `x-mcp-header` of its schema asks for (2026-07-28, server/tools). */
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
    if (typeof header === 'string' && isPrimitive(given))
      headers[`mcp-param-${header}`] = headerValue(String(given));
    collect(property, given, headers);
  }
}

function isPrimitive(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** A text as a header can carry it: as it stands, or as base64 between sentinels. */
export function headerValue(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith(SENTINEL)) return text;
  const bytes = new TextEncoder().encode(text);
  return `${SENTINEL}${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`;
}

const SENTINEL = '=?base64?';

/** The header `Mcp-Name` of a request, for the methods that have one. */
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
