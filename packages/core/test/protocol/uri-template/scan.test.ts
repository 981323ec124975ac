import { describe, expect, test } from '@jest/globals';
import { parseUriTemplate } from '../../../src/protocol/uri-template/parse.js';
import { compileSteps } from '../../../src/protocol/uri-template/compiled-template.js';
import { scan } from '../../../src/protocol/uri-template/scan.js';

/** Counts how often a scan looks at its input: what it costs, on any machine. */
function readsOf(template: string, uri: string): number {
  let reads = 0;
  const steps = compileSteps(parseUriTemplate(template));
  scan(steps, {
    length: uri.length,
    charCodeAt(index) {
      reads += 1;
      return uri.charCodeAt(index);
    },
  });
  return reads;
}

describe('scan', () => {
  test.each([
    ['{a}{b}{c}{d}{e}{f}', 'a', '/'],
    ['{+a}a{+b}a{+c}a{+d}', 'a', '#'],
    ['{+a}/{+b}/{+c}/{+d}/x', '/', 'y'],
    ['{a}{.b}{.c}{.d*}', '.', '/'],
    ['x{/a*}{/b*}{/c*}/end', '/', ''],
    ['{+a}{?q}{#f}', '?', ''],
    ['{a,b,c,d*,e*}', ',', '/'],
    ['{;a*}{;b*}{/c}', ';', '?'],
  ])(
    'reads a hostile 100 KB URI a fixed number of times for each character: %s',
    (template, character, last) => {
      const uri = character.repeat(100_000) + last;
      const perCharacter = readsOf(template, uri) / uri.length;
      const perCharacterOfHalf = readsOf(template, uri.slice(50_000)) / (uri.length - 50_000);
      expect(perCharacter).toBeLessThanOrEqual(2 * template.length);
      expect(perCharacter).toBeCloseTo(perCharacterOfHalf, 1);
    },
  );

  test('tells the URI of another template apart at its first characters', () => {
    expect(readsOf('commerce://products/{+rest}', `mail://${'a'.repeat(100_000)}`)).toBe(1);
  });
});
