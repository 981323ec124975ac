import fc from 'fast-check';

const TEXTS = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.stringMatching(/^[abc.]{0,5}$/),
  fc.stringMatching(/^[0-9a-fA-FxX#+.-]{0,8}$/),
  fc.constantFrom(
    '',
    'a',
    'aB',
    'a\uFE0Fb',
    '\u{1F600}\uFE0F',
    'true',
    '12',
    '-1.5',
    '80',
    '{"a":1}',
    '\uD83D',
    '\u212A',
  ),
);

const SCALARS = fc.oneof(
  TEXTS,
  fc.integer({ min: -5, max: 9 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

/** Any value that JSON has. */
export const VALUES: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: SCALARS },
  fc.array(SCALARS, { maxLength: 4 }),
  fc.dictionary(fc.stringMatching(/^[a-d]$/), SCALARS, { maxKeys: 3, noNullPrototype: true }),
);

const INSERTED = fc.oneof(
  fc.string({ minLength: 1, maxLength: 1 }),
  fc.constantFrom('0', 'a', 'A', '=', '-', '\n', '\u{1F600}', '\uFE0F'),
);

/** Some values, and what comes of texts among them when characters are changed, added or lost. */
export function nearTo(samples: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      fc.constantFrom(...samples),
      fc.constantFrom('keep', 'insert', 'drop', 'swap', 'double'),
      fc.nat(80),
      INSERTED,
    )
    .map(([sample, change, position, inserted]) =>
      typeof sample === 'string' ? changed(sample, change, position % (sample.length + 1), inserted) : sample,
    );
}

function changed(text: string, change: string, at: number, inserted: string): string {
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (change) {
    case 'insert':
      return before + inserted + after;
    case 'drop':
      return before + after.slice(1);
    case 'swap': {
      const char = after.charAt(0);
      return (
        before + (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()) + after.slice(1)
      );
    }
    case 'double':
      return text + text;
    default:
      return text;
  }
}
