import 'reflect-metadata';
import { createContext, Script } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { Matches, ValidateIf } from 'class-validator';
import fc from 'fast-check';
import { SafePattern } from '../../src/schema/patterns/patterns.js';
import { cannotBacktrack } from '../../src/schema/patterns/quick-scan.js';
import { analysePattern } from '../../src/schema/patterns/engine.js';
import { createSchemaCompiler, type SchemaSource } from '../../src/schema/index.js';
import { accepts, failure, plan, planArguments, planClass } from './harness.js';

/** An exponential time for whoever backtracks: nobody waits for the end of a failure. */
const HOSTILE = `${'a'.repeat(60)}!`;

describe('the cost of a pattern', () => {
  test.each([
    ['^[a-z]+(-[a-z]+)*$', 1],
    ['^\\d+(\\.\\d+)?$', 1],
    ['^[A-Z]{3}-\\d{4}$', 0],
    ['^(?=.*[A-Z])(?=.*\\d).{8,}$', 1],
    ['^(?!\\.)(?!.*\\.\\.)[\\w.]*@(\\w[\\w-]*\\.)+[a-z]{2,}$', 2],
    ['^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$', 0],
    ['^(?:(?!foo).)*$', 1],
    ['foo\\d+bar', 2],
    ['a+$', 2],
    ['^\\s+|\\s+$', 2],
    ['^a*a*a*$', 3],
    ['^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 2],
    ['^(a+)\\1$', 2],
    ['^(?:(?=.*x).)*$', 2],
    ['(?<=a+)b', 2],
  ])('%s grows with the length to the power of %i at most', (source, exponent) => {
    expect(analysePattern(source, 'u').exponent).toBe(exponent);
  });

  test.each([
    '(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '^(a*)*b',
    '^(a+\\1)+$',
    '^(\\w+\\s?)*$',
    '^(.*?,){11}P',
    '^(?:a?){60,}$',
    '^(?:a?){30}a{30}$',
    '^(?=(a+)+$)a',
    '^(a{0,50}){0,50}$',
  ])('%s doubles with every character', (source) => {
    expect(analysePattern(source, '').exponent).toBe(Infinity);
  });

  test('many decisions in a row count like a loop', () => {
    expect(analysePattern(`^${'a?'.repeat(30)}${'a'.repeat(30)}$`, 'u').exponent).toBeGreaterThan(9);
    expect(analysePattern(`^${'(?:a|ab)'.repeat(30)}$`, 'u').exponent).toBeGreaterThan(9);
  });

  test.each([
    // A million ways to the lookahead, and each reads the whole text.
    ['^(?:a?){20}(?=[ab]*c)', 0],
    ['^(?:a?){10}(?=[ab]*c)', 976],
    ['^(?!b)[ab]*(?:[ab]?){9}(?=[ab]*c)c', 44],
    ['^(?:a|ab)(?=[ab]*c)', Infinity],
  ])(
    'many ways through %s count as often as what is done on each: it is tried on %d characters',
    async (source, longest) => {
      const pattern = new SafePattern(source, 'u');
      await pattern.settle();
      expect(pattern.longest).toBe(longest);
    },
  );

  test('a pattern that is plain at a glance grows with the length at most', () => {
    fc.assert(
      fc.property(anyPattern, fc.constantFrom('', 'u', 'm'), (source, flags) => {
        if (!isRegExp(source, flags) || !cannotBacktrack(source, flags)) return;
        expect(analysePattern(source, flags).exponent).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the engine that does not backtrack', () => {
  test('finds a match where the native one does, whatever the flags', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyPattern,
        fc.constantFrom('', 'u', 'i', 's', 'su', 'm'),
        fc.array(anyText, { minLength: 5, maxLength: 10 }),
        async (source, flags, texts) => {
          if (!isRegExp(source, flags)) return;
          const analysis = analysePattern(source, flags);
          const linear = await analysis.linear();
          if (!linear) return;
          const wanted = natively(
            new RegExp(source, flags),
            texts,
            analysis.exponent < Infinity ? 10_000 : 200,
          );
          // Without an end in sight there is nothing to compare with, even for so short a text.
          if (wanted || analysis.exponent < Infinity) expect(texts.map(linear)).toEqual(wanted);
        },
      ),
      { numRuns: 1500 },
    );
  });

  test.each([
    ['^(?:\\p{Lu}\\P{L}?)+$', 'u', ['ÀÉ', 'À1É', 'àÉ', '𝐀', '1']],
    ['^(?:[ks]+)+$', 'iu', ['kKſ\u212a', 'sS', 'kx']],
    ['^(?:[ks]+)+$', 'i', ['kK', 'ſ', '\u212a']],
    ['^(?:\\w+)+$', 'iu', ['a_1', 'ſ', '\u212a', 'é']],
    ['^(?:[à-ü]+)+$', 'i', ['ÀÜ', 'àü', 'a']],
    ['^(?<word>(?:..)+)+$', '', ['😀', 'a😀', '\ud83d']],
  ])('reads the characters of %s with the flags "%s" as JavaScript does', async (source, flags, texts) => {
    const linear = await analysePattern(source, flags).linear();
    expect(texts.map((text) => linear?.(text))).toEqual(
      texts.map((text) => new RegExp(source, flags).test(text)),
    );
  });
});

describe('a pattern that could backtrack', () => {
  test('answers from a schema written by hand', async () => {
    const made = await plan({
      kind: 'schema',
      schema: {
        type: 'object',
        properties: { text: { type: 'string', pattern: '^(a+)+$' } },
        patternProperties: { '^(b+)+$': false },
      },
    });
    expect(await accepts(made, { text: 'aaa' })).toBe(true);
    expect((await failure(made, { text: HOSTILE })).issues).toMatchObject([{ path: 'text' }]);
    expect(await accepts(made, { [`${'b'.repeat(60)}!`]: 1 })).toBe(true);
    expect(await accepts(made, { bbb: 1 })).toBe(false);
  });

  test('answers from the keywords of an argument', async () => {
    const made = await planArguments({ name: 'text', type: String, keywords: { pattern: '(a|a)*$' } });
    expect(await accepts(made, { text: HOSTILE })).toBe(true);
    const strict = await planArguments({ name: 'text', type: String, keywords: { pattern: '^(a|a)*$' } });
    expect((await failure(strict, { text: HOSTILE })).issues).toMatchObject([{ path: 'text' }]);
  });

  test('answers from @Matches, with flags a schema does not know', async () => {
    class Query {
      @Matches(/^(a+)+$/)
      one!: string;

      @Matches('^(A+)+$', 'gi')
      other!: string;
    }
    const made = await planClass(Query);
    expect(await accepts(made, { one: 'aa', other: 'aa' })).toBe(true);
    expect(await accepts(made, { one: 'aa', other: 'aa' })).toBe(true);
    const { issues } = await failure(made, { one: HOSTILE, other: HOSTILE });
    expect(issues.map(({ path }) => path)).toEqual(['one', 'other']);
  });

  test('judges texts of any length when another engine knows it', async () => {
    const made = await planArguments({ name: 'text', type: String, keywords: { pattern: '^a*a*b$' } });
    expect(await accepts(made, { text: `${'a'.repeat(50_000)}b` })).toBe(true);
    expect(await accepts(made, { text: 'a'.repeat(50_000) })).toBe(false);
  });

  test('takes no text that is too long for it when no other engine knows it, and says so', async () => {
    const made = await planArguments({ name: 'text', type: String, keywords: { pattern: '^(?!b)a*a*$' } });
    expect(await accepts(made, { text: 'a'.repeat(1000) })).toBe(true);
    expect((await failure(made, { text: 'a'.repeat(1001) })).issues).toMatchObject([
      { expected: 'a string of at most 1000 characters, so that it can be matched with ^(?!b)a*a*$' },
    ]);
  });

  test('compiles without the `u` flag where the pattern wants that', async () => {
    const text = { type: 'string', pattern: '^([\\w-\\.]+)+$' };
    const made = await plan({ kind: 'schema', schema: { type: 'object', properties: { text } } });
    expect(await accepts(made, { text: 'a.b-c' })).toBe(true);
    expect(await accepts(made, { text: HOSTILE })).toBe(false);
  });
});

describe('a pattern that nothing runs safely', () => {
  const unsafe = '^(?!b)(a+)+$';

  class Query {
    @Matches(new RegExp(unsafe))
    text!: string;
  }

  class Sometimes {
    @ValidateIf(() => true)
    @Matches(new RegExp(unsafe, 'i'))
    text!: string;
  }

  const sources: readonly [string, SchemaSource][] = [
    ['of a class', { kind: 'class', cls: Query }],
    ['under a condition', { kind: 'class', cls: Sometimes }],
    ['of an argument', argument({ pattern: unsafe })],
    ['of the names of properties', argument({ type: 'object', patternProperties: { [unsafe]: {} } })],
    ['within a definition', argument({ items: { allOf: [{ pattern: unsafe }] } })],
  ];

  test.each(sources)('%s is a definition problem', async (_, source) => {
    const compiler = await createSchemaCompiler({ classes: true });
    compiler.input(source, 'Fixture.method', []);
    const problems: Parameters<typeof compiler.settle>[0] = [];
    await compiler.settle(problems);
    expect(problems).toMatchObject([{ code: 'SIGIL_UNSAFE_PATTERN', where: 'Fixture.method' }]);
    expect(problems[0]?.what).toContain(unsafe);
  });

  const deep = `${'('.repeat(1500)}a${')'.repeat(1500)}`;
  const nested = `^${'['.repeat(1500)}a${']'.repeat(1500)}`;
  class Deep {
    @Matches(new RegExp(nested, 'v'))
    text!: string;
  }

  test.each<[string, SchemaSource]>([
    ['of an argument', argument({ pattern: deep })],
    ['of the names of properties', argument({ type: 'object', patternProperties: { [deep]: {} } })],
    ['of a schema', { kind: 'schema', schema: { type: 'object', properties: { a: { pattern: deep } } } }],
    ['of a class', { kind: 'class', cls: Deep }],
  ])('%s because it nests without end is a definition problem', async (_, source) => {
    const compiler = await createSchemaCompiler({ classes: true });
    compiler.input(source, 'Fixture.method', []);
    const problems: Parameters<typeof compiler.settle>[0] = [];
    await compiler.settle(problems);
    expect(problems).toMatchObject([{ code: 'SIGIL_UNSAFE_PATTERN', where: 'Fixture.method' }]);
    expect(problems[0]?.what).toMatch(/^the pattern .{1,200} has more than 100 nested groups$/);
  });

  test('is not one that has a hundred groups within each other', async () => {
    const pattern = `^${'(a?'.repeat(100)}${')'.repeat(100)}$`;
    const compiler = await createSchemaCompiler({ classes: false });
    compiler.input(argument({ pattern }), 'Fixture.method', []);
    const problems: Parameters<typeof compiler.settle>[0] = [];
    await compiler.settle(problems);
    expect(problems).toEqual([]);
  });

  test('that comes at run time is refused at first use', async () => {
    const compiler = await createSchemaCompiler({ classes: false });
    const late = compiler.input(argument({ pattern: unsafe }), 'elicit()', []);
    await expect(late.ready()).rejects.toMatchObject({
      problems: [{ code: 'SIGIL_UNSAFE_PATTERN', where: 'elicit()' }],
    });
  });

  test('is no problem where it is data', async () => {
    const compiler = await createSchemaCompiler({ classes: false });
    compiler.input(argument({ const: { pattern: unsafe } }), 'Fixture.method', []);
    const problems: Parameters<typeof compiler.settle>[0] = [];
    await compiler.settle(problems);
    expect(problems).toEqual([]);
  });
});

function argument(keywords: Record<string, unknown>): SchemaSource {
  return { kind: 'properties', properties: [{ name: 'text', type: String, required: true, keywords }] };
}

function isRegExp(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

const realm = createContext({ pattern: /$/, texts: [''] });
const search = new Script('texts.map((text) => pattern.test(text))');

/** In which texts the native engine finds a match; undefined when it has not ended after a time in milliseconds. */
function natively(pattern: RegExp, texts: readonly string[], timeout: number): boolean[] | undefined {
  Object.assign(realm, { pattern, texts });
  try {
    return search.runInContext(realm, { timeout }) as boolean[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}

const atom = fc.constantFrom(
  ...['a', 'b', 'A', 'k', 'S', 'ß', 'é', '-', '\\.', '.', '😀', 'ſ', '\\u212a', '\\n', '\\uDE00', '\\ud83d'],
  ...['\\s', '\\S', '\\d', '\\w', '\\W', '[ab]', '[^a]', '[a-k\\d]', '[^\\s-]', '[^]', '[]', '[😀é]'],
  ...['^', '$', '\\b', '\\B', '\\u{1f600}'],
);
const quantifier = fc.constantFrom('', '', '*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{0,3}', '{2,}');
const open = fc.constantFrom('(', '(?:');
const anyPattern = fc.letrec<{ choice: string; item: string }>((tie) => ({
  choice: fc
    .array(fc.array(tie('item'), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 2 })
    .map((alternatives) => alternatives.map((items) => items.join('')).join('|')),
  item: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(atom, quantifier).map((parts) => parts.join('')),
    fc.tuple(open, tie('choice'), quantifier).map(([start, body, times]) => `${start}${body})${times}`),
  ),
})).choice;
const anyText = fc
  .array(
    fc.constantFrom(
      ...[
        'a',
        'b',
        'A',
        'K',
        'k',
        's',
        'ß',
        'é',
        'É',
        '1',
        '_',
        '-',
        '.',
        ' ',
        '\n',
        '\r',
        '\u2028',
        '\ufeff',
      ],
      ...['😀', '\ud83d', '\ude00', 'ſ', '\u212a', '\u{10f83d}'],
    ),
    { maxLength: 8 },
  )
  .map((characters) => characters.join(''));
