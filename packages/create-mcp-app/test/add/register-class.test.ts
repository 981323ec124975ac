import { describe, expect, test } from '@jest/globals';
import { registerClass } from '../../src/add/register-class.js';

const weather = { className: 'Weather', module: './tools/weather.js' };

function registered(text: string): string {
  const result = registerClass(text, weather);
  if ('problem' in result) throw new Error(result.problem);
  return result.text;
}

function problem(text: string): string | undefined {
  const result = registerClass(text, weather);
  return 'problem' in result ? result.problem : undefined;
}

/** A file with one import and a list of services. */
const app = (list: string): string =>
  `import { Greet } from './tools/greet.js';\n\nexport const app = createApp({ services: ${list} });\n`;
const listOf = (text: string): string => /services: ([\s\S]*) \}\)/.exec(text)?.[1] ?? '';

describe('registering a class', () => {
  test('imports it below the other imports and adds it to the services', () => {
    expect(registered(app('[Greet]'))).toBe(
      [
        `import { Greet } from './tools/greet.js';`,
        `import { Weather } from './tools/weather.js';`,
        '',
        'export const app = createApp({ services: [Greet, Weather] });',
        '',
      ].join('\n'),
    );
  });

  test.each([
    ['[]', '[Weather]'],
    ['[ ]', '[Weather ]'],
    ['[Greet, Other]', '[Greet, Other, Weather]'],
    ['[Greet,]', '[Greet, Weather,]'],
    ['[\n    Greet,\n  ]', '[\n    Greet,\n    Weather,\n  ]'],
    ['[\n    Greet\n  ]', '[\n    Greet,\n    Weather\n  ]'],
    ['[\n\tGreet, // hello\n]', '[\n\tGreet, // hello\n\tWeather,\n]'],
    ['[\n  Greet // hello, ]\n]', '[\n  Greet, // hello, ]\n  Weather\n]'],
    ['[\n  // none yet\n]', '[Weather,\n  // none yet\n]'],
    ['[Greet /* the first */]', '[Greet, Weather /* the first */]'],
    ['[make([1, 2]), Greet]', '[make([1, 2]), Greet, Weather]'],
    ['[...(isDev ? [Debug] : [])]', '[...(isDev ? [Debug] : []), Weather]'],
    [`[named(']'), named("}")]`, `[named(']'), named("}"), Weather]`],
    ['[matching(/[\\]\'"]/g), Greet]', '[matching(/[\\]\'"]/g), Greet, Weather]'],
    ['[named(`a ${"]"} b`)]', '[named(`a ${"]"} b`), Weather]'],
  ])('leaves the list as it is formatted: %j', (before, after) => {
    expect(listOf(registered(app(before)))).toBe(after);
  });

  test('writes imports as the file does: quotes, semicolons and ends of lines', () => {
    const text = 'import { a } from "./a.js"\r\n\r\nrun({ services: [\r\n  a,\r\n] })\r\n';
    expect(registered(text)).toBe(
      'import { a } from "./a.js"\r\nimport { Weather } from "./tools/weather.js"\r\n\r\nrun({ services: [\r\n  a,\r\n  Weather,\r\n] })\r\n',
    );
  });

  test('finds the end of an import of several lines, and takes import() and comments for none', () => {
    const text = [
      'import {',
      '  a,',
      '  b,',
      `} from './a.js';`,
      `// import { c } from './c.js';`,
      `const late = await import('./d.js');`,
      `const services = 1; // services: [x]`,
      'run({ services: [a] });',
    ].join('\n');
    expect(registered(text).split('\n').slice(3, 5)).toEqual([
      `} from './a.js';`,
      `import { Weather } from './tools/weather.js';`,
    ]);
    expect(registered(text)).toContain('run({ services: [a, Weather] });');
  });

  test('imports it at the top of a file that imports nothing', () => {
    expect(registered('run({ services: [] });\n')).toBe(
      `import { Weather } from './tools/weather.js';\nrun({ services: [Weather] });\n`,
    );
  });

  test.each([
    ['run({ services });', 'it has no services: [ … ]'],
    ['run({ services: all() });', 'it has no services: [ … ]'],
    [`const text = 'services: [a]';`, 'it has no services: [ … ]'],
    ['run({ services: [a] }); run({ services: [b] });', 'it has 2 services: [ … ]'],
    ['run({ services: [a }', 'the list of services does not end'],
  ])('refuses what cannot be changed safely: %s', (text, reason) => {
    expect(problem(text)).toBe(reason);
  });
});
