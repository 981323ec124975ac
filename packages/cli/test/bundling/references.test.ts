import { expect, test } from '@jest/globals';
import { referencesOf } from '../../src/bundling/references.js';

const found = (code: string): unknown => referencesOf(code, '/app/dist/main.js');
const files = (...paths: string[]): unknown => ({ files: paths, packages: [] });

test.each([
  ["new URL('./a.json', import.meta.url)", files('/app/dist/a.json')],
  ["new URL('../views/', import.meta.url)", files('/app/views')],
  ["new URL('https://example.com', import.meta.url)", files()],
  ['new URL(name, import.meta.url)', files()],
  ["new URL('./a.json', base)", files()],
  ["path.join(__dirname, '..', 'views')", files('/app/views')],
  ["join(import.meta.dirname, 'a.txt')", files('/app/dist/a.txt')],
  ['join(__dirname, name)', files()],
  ["__dirname + '/a.txt'", files('/app/dist/a.txt')],
  ['`${__dirname}/a.txt`', files('/app/dist/a.txt')],
  ["const here = dirname(fileURLToPath(import.meta.url)); resolve(here, 'a.txt')", files('/app/dist/a.txt')],
  [
    "import { createRequire as make } from 'node:module'; const load = make(import.meta.url); load('./a.node'); load('fs'); load('b/c');",
    { files: ['/app/dist/a.node'], packages: ['b/c'] },
  ],
  ["require('module').createRequire(__filename)('b')", { files: [], packages: ['b'] }],
  ["with (a) { return join(__dirname, 'a.txt'); }", files('/app/dist/a.txt')],
  ['no module at all', files()],
])('finds what a module refers to: %s', (code, expected) => expect(found(code)).toEqual(expected));
