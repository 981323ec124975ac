/** A prefix, if any, and a name (2026-07-28, basic, section "_meta"). */
const KEY = /^(?:([^/]*)\/)?([^/]*)$/;
const LABEL = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const NAME = /^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)?$/;
const RESERVED_LABELS: readonly (string | undefined)[] = ['modelcontextprotocol', 'mcp'];
const RESERVED_NAMES: readonly string[] = ['progressToken', 'traceparent', 'tracestate', 'baggage'];

/** Says why an author may not use a key of `_meta`; `undefined` when one may. */
export function metaKeyFault(key: string): string | undefined {
  const [, prefix, name = ''] = KEY.exec(key) ?? [];
  const labels = prefix?.split('.') ?? [];
  if (!KEY.test(key) || !NAME.test(name) || !labels.every((label) => LABEL.test(label)) || key === '')
    return 'is no valid key';
  const isReserved = RESERVED_LABELS.includes(labels[1]?.toLowerCase()) || RESERVED_NAMES.includes(key);
  return isReserved ? 'is reserved by the protocol' : undefined;
}
