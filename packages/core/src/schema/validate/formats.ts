/** A string that stands for a value JSON has no type for. */
interface TextFormat {
  /** What to send, such as `an absolute URL`. */
  readonly expects: string;
  readonly accepts: (text: string) => boolean;
}

/** How a Date is asked for. */
export const DATE_TEXT = 'an ISO 8601 date-time string such as "2026-07-28T09:00:00Z"';

/**
 * The values of `format` in enforced schemas, which say what JavaScript reads. Those of the standard are annotations only: schema
 * validators disagree about them.
 */
export const FORMATS: Readonly<Record<OwnFormat, TextFormat>> = {
  'sigil-date': { expects: DATE_TEXT, accepts: (text) => !Number.isNaN(Date.parse(text)) },
  'sigil-url': {
    expects: 'an absolute URL such as "https://example.com/"',
    accepts: (text) => URL.canParse(text),
  },
  'sigil-base64': {
    expects: 'base64, with padding',
    accepts: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  },
};

/** The name of a format. */
export type OwnFormat = 'sigil-date' | 'sigil-url' | 'sigil-base64';

/** The format of that name, if it is one of ours. */
export function formatNamed(name: unknown): TextFormat | undefined {
  return typeof name === 'string' && Object.hasOwn(FORMATS, name) ? FORMATS[name as OwnFormat] : undefined;
}
