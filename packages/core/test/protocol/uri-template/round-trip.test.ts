import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileMatcher } from '../../../src/protocol/uri-template/match.js';
import { parseUriTemplate } from '../../../src/protocol/uri-template/parse.js';
import { expandUriTemplate } from '../../../src/protocol/uri-template/expand.js';

const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => !/\p{Surrogate}/u.test(value));
const maybeEmpty = fc.oneof(text, fc.constant(''));
const list = fc.array(maybeEmpty, { minLength: 1, maxLength: 5 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
// A reserved value keeps its triplets, so that "%41" would come back as "A".
const reserved = text.filter((value) => !/%[0-9a-f]{2}/i.test(value));

type Values = Record<string, string | readonly string[] | undefined>;

function comesBack(source: string, values: Values): void {
  const template = parseUriTemplate(source);
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  expect({ ...compileMatcher(template)(expandUriTemplate(template, values)) }).toEqual(given);
}

describe('expanding and matching', () => {
  test.each(['x://{a}', 'x://{a}/{b}', 'x://{a}/y/{b}?z={c}', '{a,b,c}', '{a}/{b}{?c}'])(
    'gives simple values back: %s',
    (source) => {
      fc.assert(
        fc.property(fc.record({ a: text, b: text, c: text }), (values) => {
          const { variables } = parseUriTemplate(source);
          comesBack(
            source,
            Object.fromEntries(variables.map((name) => [name, values[name as 'a' | 'b' | 'c']])),
          );
        }),
      );
    },
  );

  test.each(['file:///{+a}', '{+a}', 'x://y/{+a}/end'])('gives reserved values back: %s', (source) => {
    fc.assert(fc.property(reserved, (a) => comesBack(source, { a })));
  });

  test.each(['x{?a,b,c*}', 'x?y=1{&a,b,c*}', 'x{;a,b,c*}', 'x{;a,b,c*}/y', 'x{?a}{&b}{&c*}#y'])(
    'gives named values back, whichever are present: %s',
    (source) => {
      const some = fc.record({ a: maybeEmpty, b: optional(maybeEmpty), c: optional(list) });
      fc.assert(fc.property(some, (values) => comesBack(source, values)));
    },
  );

  test.each(['x{/a,b}', 'x{/a,b}/y', 'x{/a*}', 'x{/a*}{?b}', '{a*}', 'x{#a}'])(
    'gives positional values back: %s',
    (source) => {
      fc.assert(
        fc.property(text, list, (value, members) => {
          const { parts, variables } = parseUriTemplate(source);
          const exploded = parts.some(
            (part) => part.kind === 'expression' && part.variables.some(({ explode }) => explode),
          );
          const fragment = value.replaceAll('%', '');
          const a = exploded ? members.map((member) => `m${member}`) : fragment;
          comesBack(source, variables.includes('b') ? { a, b: value } : { a });
        }),
      );
    },
  );

  test('never throws on an arbitrary URI', () => {
    const matchers = ['{a}', '{+a}', 'x{/a*}{?b,c*}{#d}', '{a}{.b}{;c}'].map((source) =>
      compileMatcher(parseUriTemplate(source)),
    );
    const uri = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'/?#&;=.%2Fa') }),
    );
    fc.assert(fc.property(uri, (source) => matchers.forEach((matcher) => matcher(source))));
  });
});
