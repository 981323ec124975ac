import { META } from './protocol.js';

type Meta = Readonly<Record<string, unknown>>;

/** A prefix, if any, and a name (2026-07-28, basic, section "_meta"). */
const KEY = /^(?:([^/]*)\/)?([^/]*)$/;
const LABEL = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const NAME = /^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?)?$/;
const RESERVED_LABELS: readonly (string | undefined)[] = ['modelcontextprotocol', 'mcp'];
const RESERVED_NAMES: readonly string[] = ['progressToken', 'traceparent', 'tracestate', 'baggage'];
const RESERVED_KEYS: readonly string[] = Object.values(META);

/** Says why an author may not use a key of `_meta`; `undefined` when one may. */
export function metaKeyFault(key: string): string | undefined {
  const [, prefix, name = ''] = KEY.exec(key) ?? [];
  const labels = prefix?.split('.') ?? [];
  if (!KEY.test(key) || !NAME.test(name) || !labels.every((label) => LABEL.test(label)) || key === '')
    return 'is no valid key';
  const isReserved = RESERVED_LABELS.includes(labels[1]?.toLowerCase()) || RESERVED_NAMES.includes(key);
  return isReserved ? 'is reserved by the protocol' : undefined;
}

/**
 * The `_meta` that an author gave a result or notification, without the keys that the protocol fills in itself.
 *
 * @throws TypeError when it is no object.
 */
export function authorMeta(meta: Meta | undefined): Meta | undefined {
  if (meta === undefined) return undefined;
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta))
    throw new TypeError('"_meta" must be an object');
  if (!RESERVED_KEYS.some((key) => key in meta)) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !RESERVED_KEYS.includes(key)));
}
