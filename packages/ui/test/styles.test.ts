import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { applyStyles } from '../src/index.js';

interface Element {
  id: string;
  textContent: string;
}

const page = {
  properties: new Map<string, string>(),
  elements: [] as Element[],
  dataset: {},
  colorScheme: '',
};
const before = Object.getOwnPropertyDescriptor(globalThis, 'document');

beforeEach(() => {
  const style = {
    setProperty: (name: string, value: string) => page.properties.set(name, value),
    set colorScheme(value: string) {
      page.colorScheme = value;
    },
  };
  const document = {
    documentElement: { dataset: page.dataset, style },
    head: { appendChild: (element: Element) => (page.elements.push(element), element) },
    getElementById: (id: string) => page.elements.find((element) => element.id === id) ?? null,
    createElement: () => ({ id: '', textContent: '' }),
  };
  Object.defineProperty(globalThis, 'document', { value: document, configurable: true });
});

afterEach(() => {
  if (before) Object.defineProperty(globalThis, 'document', before);
  else Reflect.deleteProperty(globalThis, 'document');
});

test('the page takes theme, variables and fonts of its host', () => {
  applyStyles({});
  expect(page).toMatchObject({ dataset: {}, colorScheme: '', elements: [] });
  const variables = { '--color-text-primary': '#111', '--color-text-ghost': undefined };
  applyStyles({ theme: 'dark', styles: { variables, css: { fonts: '@font-face { a }' } } });
  applyStyles({ theme: 'light', styles: { css: { fonts: '@font-face { b }' } } });
  expect(page).toMatchObject({
    dataset: { theme: 'light' },
    colorScheme: 'light',
    elements: [{ id: 'host-fonts', textContent: '@font-face { b }' }],
  });
  expect([...page.properties]).toEqual([['--color-text-primary', '#111']]);
});
