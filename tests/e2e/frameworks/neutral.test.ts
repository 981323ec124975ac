import { expect, test } from '@jest/globals';
import { build } from 'esbuild';

test.each([['@sigil/core'], ['@sigil/http/fetch'], ['@sigil/workers'], ['@sigil/next'], ['@sigil/hono']])(
  '%s needs nothing of Node',
  async (name) => {
    const { metafile } = await build({
      stdin: { contents: `export * from '${name}'`, resolveDir: process.cwd() },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['workerd', 'worker', 'browser'],
      external: ['node:*'],
      metafile: true,
      logLevel: 'error',
    });
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.map(({ path }) => path),
    );
    expect(imported).toEqual([]);
  },
);
