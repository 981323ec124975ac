import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as core from '@sigil/core';

// Within the project, where both copies find the libraries that programs install beside them.
const FOLDER = join(process.cwd(), 'node_modules/.cache/two-copies');

describe('two copies of the package in one program', () => {
  let other: typeof core;
  beforeAll(async () => {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    for (const path of ['package.json', 'dist'])
      cpSync(join('packages/core', path), join(FOLDER, path), { recursive: true });
    other = (await import(pathToFileURL(join(FOLDER, 'dist/bundle/index.js')).href)) as typeof core;
  });
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

  test('are two: each has classes of its own', () => {
    expect(other.App).not.toBe(core.App);
  });

  test.each(['the app', 'the service'] as const)('inject alike, when %s is of the second', async (part) => {
    const [ofApp, ofService] = part === 'the app' ? [other, core] : [core, other];
    class Stock {
      readonly name = 'stock';
    }
    class Shop {
      readonly stock = ofService.inject(Stock);
      readonly missing = ofService.inject('nothing', { optional: true });
    }
    const app = await ofApp.createApp({
      name: 'shop',
      version: '1.0.0',
      providers: [
        { provide: Stock, useClass: Stock },
        { provide: Shop, useClass: Shop },
      ],
    });
    expect(await app.get(Shop)).toMatchObject({ stock: { name: 'stock' }, missing: undefined });
    await app.close();
  });

  test('refuse to inject outside of a construction, each', () => {
    for (const { inject } of [core, other])
      expect(() => inject('stock')).toThrow('only works while the container');
  });
});
