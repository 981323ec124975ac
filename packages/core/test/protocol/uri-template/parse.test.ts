import { describe, expect, test } from '@jest/globals';
import {
  MAX_TEMPLATE_LENGTH,
  MAX_TEMPLATE_VARIABLES,
  parseUriTemplate,
  UriTemplateError,
} from '../../../src/protocol/uri-template/parse.js';

function offsetOfError(source: string): number {
  try {
    parseUriTemplate(source);
  } catch (error) {
    if (error instanceof UriTemplateError) return error.offset;
  }
  throw new Error(`"${source}" parses`);
}

describe('parseUriTemplate', () => {
  test('splits a template into literals and expressions', () => {
    const template = parseUriTemplate('db://{table}/rows{?limit:3,tags*}');
    expect(template).toEqual({
      source: 'db://{table}/rows{?limit:3,tags*}',
      variables: ['table', 'limit', 'tags'],
      parts: [
        { kind: 'literal', text: 'db://' },
        { kind: 'expression', operator: '', variables: [{ name: 'table', explode: false, offset: 6 }] },
        { kind: 'literal', text: '/rows' },
        {
          kind: 'expression',
          operator: '?',
          variables: [
            { name: 'limit', explode: false, prefix: 3, offset: 19 },
            { name: 'tags', explode: true, offset: 27 },
          ],
        },
      ],
    });
  });

  test.each(['', '+', '#', '.', '/', ';', '?', '&'])('knows the operator "%s"', (operator) => {
    expect(parseUriTemplate(`{${operator}x}`).parts).toMatchObject([{ kind: 'expression', operator }]);
  });

  test.each(['', 'a', "it's", 'http://example.com/caf\u00e9', '%20', '[::1]'])(
    'takes the literal "%s"',
    (literal) => {
      expect(parseUriTemplate(literal).parts).toEqual(
        literal === '' ? [] : [{ kind: 'literal', text: literal }],
      );
    },
  );

  test.each(['a.b', '_', '1', '%20a', 'constructor', '__proto__'])('takes the variable name "%s"', (name) => {
    expect(parseUriTemplate(`{${name}}`).variables).toEqual([name]);
  });

  test.each([
    ['x{', 1],
    ['x{y', 1],
    ['x}y', 1],
    ['{}', 1],
    ['{?}', 2],
    ['{x,}', 3],
    ['{,x}', 1],
    ['{x y}', 1],
    ['{{x}}', 1],
    ['{a-b}', 1],
    ['{.}', 2],
    ['{x..y}', 1],
    ['{x.}', 1],
    ['{x:0}', 1],
    ['{x:10000}', 1],
    ['{x:}', 1],
    ['{x*:3}', 1],
    ['{x:3*}', 1],
    ['{x**}', 1],
    ['{=x}', 1],
    ['{!x}', 1],
    ['{@x}', 1],
    ['{|x}', 1],
    ['a b', 1],
    ['a%2', 1],
    ['a%zz', 1],
    ['a<b', 1],
    ['a\u0000', 1],
    ['a\ud800', 1],
    ['{x}/{x}', 5],
    ['{x}{?y,x}', 7],
  ])('refuses %j at offset %i', (source, offset) => {
    expect(offsetOfError(source)).toBe(offset);
  });

  test('names the mistake, the place and the template', () => {
    expect(() => parseUriTemplate('a/{x}/{x}')).toThrow(
      'The variable "x" for the second time at offset 7 of URI template "a/{x}/{x}"',
    );
  });

  test('bounds the length of a template', () => {
    expect(parseUriTemplate('a'.repeat(MAX_TEMPLATE_LENGTH)).parts).toHaveLength(1);
    expect(() => parseUriTemplate('a'.repeat(MAX_TEMPLATE_LENGTH + 1))).toThrow(UriTemplateError);
  });

  test('bounds the number of variables', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `{v${index}}`).join('/');
    expect(parseUriTemplate(names(MAX_TEMPLATE_VARIABLES)).variables).toHaveLength(MAX_TEMPLATE_VARIABLES);
    expect(() => parseUriTemplate(names(MAX_TEMPLATE_VARIABLES + 1))).toThrow(/More than 64 variables/);
  });
});
