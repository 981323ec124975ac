import { type EventStore, MAX_DELAY_MS } from '@sigil/core/transport';

/** Options that are more than numbers. */
interface Shapes {
  readonly authenticate?: unknown;
  readonly allowedHosts?: readonly string[] | '*';
  readonly allowedOrigins?: readonly string[];
  readonly eventStore?: object | false;
}

/** @throws RangeError for the first option that is none. */
export function checkNames(options: object, known: object, prefix = ''): void {
  const unknown = Object.keys(options).find((option) => !Object.hasOwn(known, option));
  if (unknown === undefined) return;
  const names = Object.keys(known).map((name) => prefix + name);
  throw new RangeError(`there is no option ${prefix}${unknown}; there are ${names.join(', ')}`);
}

/** @throws RangeError for what is no positive integer, or no time that a timer can keep. */
export function checkNumber(key: string, value: number): void {
  if (!(Number.isSafeInteger(value) && value > 0))
    throw new RangeError(`${key} must be a positive integer, not ${shown(value)}`);
  // A timer of more than that would ring at once.
  if (key.endsWith('Ms') && value > MAX_DELAY_MS)
    throw new RangeError(`${key} must be at most ${MAX_DELAY_MS}, not ${value}`);
}

/** A value as its author wrote it: '5' is not 5. */
function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** @throws RangeError for the first option that is of another type, or could never match a request. */
export function checkShapes(options: Shapes): void {
  const { authenticate } = options;
  if (authenticate !== undefined && typeof authenticate !== 'function')
    throw new RangeError('authenticate must be a function that gives a principal');
  // A string would be searched for parts of it.
  for (const key of ['allowedHosts', 'allowedOrigins'] as const) {
    const given: unknown = options[key];
    if (given !== undefined && given !== '*' && !isTexts(given))
      throw new RangeError(`${key} must be a list of strings, such as ['${EXAMPLES[key]}']`);
  }
  if ((options.allowedOrigins as unknown) === '*')
    throw new RangeError("allowedOrigins must name the origins of pages: '*' would let every page in");
  // What no request can match would let none in, without a word.
  const origin = options.allowedOrigins?.find((candidate) => !isOrigin(candidate));
  if (origin !== undefined)
    throw new RangeError(
      `allowedOrigins must be as browsers send them, such as ${EXAMPLES.allowedOrigins}, not '${origin}'`,
    );
  const hosts = options.allowedHosts === '*' ? [] : (options.allowedHosts ?? []);
  const host = hosts.find((candidate) => !/^(?:[^\s/:[\]*]+|\[[^\s/\]]+\])$/.test(candidate));
  if (host !== undefined)
    throw new RangeError(
      `allowedHosts must be names without scheme and port, such as ${EXAMPLES.allowedHosts}, not '${host}'`,
    );
  const store = options.eventStore as Partial<EventStore> | false | undefined;
  if (store && ![store.append, store.after, store.forget].every((method) => typeof method === 'function'))
    throw new RangeError('eventStore must be an object with append, after and forget, or false');
}

/** Whether a browser could send it. Of schemes that are not the web's, such as those of extensions, a URL tells no origin. */
function isOrigin(text: string): boolean {
  if (!/^https?:/i.test(text)) return /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+$/.test(text);
  return URL.canParse(text) && new URL(text).origin === text;
}

const EXAMPLES = { allowedHosts: 'mcp.example', allowedOrigins: 'https://app.example' };

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
