import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { WITHOUT_NODE } from './workerd.js';

test.each([['@sigil/core'], ['@sigil/http/fetch'], ['@sigil/workers'], ['@sigil/next'], ['@sigil/hono']])(
  '%s needs nothing of Node',
  async (name) => {
    const { metafile } = await build({
      ...WITHOUT_NODE,
      stdin: { contents: `export * from '${name}'`, resolveDir: process.cwd() },
      write: false,
      external: ['node:*'],
      metafile: true,
    });
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.map(({ path }) => path),
    );
    expect(imported).toEqual([]);
  },
);
