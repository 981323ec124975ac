import { expect, test } from '@jest/globals';
import { defineTool } from '@sigil/core';
import { OverloadedError } from '@sigil/core/backend';
import { BRIDGES } from './fixtures/bridges.js';
import { callModern, json, postModern } from './fixtures/messages.js';
import { createBench } from './fixtures/suite.js';

test.each(BRIDGES.map((bridge) => [bridge.name, bridge] as const))(
  'a guard that cannot answer now has clients come again later · %s',
  async (_name, bridge) => {
    let error = new OverloadedError('The directory is down', { retryAfterSeconds: 29.5 });
    const guards = [
      (): boolean => {
        throw error;
      },
    ];
    const bench = await createBench(
      bridge,
      {},
      { definitions: [defineTool({ name: 'hello', guards, handle: () => 'Hello' })] },
    );
    const answers = [await callModern(bench, 'hello'), await postModern(bench, 'tools/list')];
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
      expect(await json(answer)).toMatchObject({ error: { code: -32603, message: 'The directory is down' } });
    }
    error = new OverloadedError('The directory is down');
    expect((await callModern(bench, 'hello')).headers.get('retry-after')).toBe('10');
    await bench.end();
  },
);
