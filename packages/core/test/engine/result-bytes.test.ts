import { describe, expect, test } from '@jest/globals';
import { defineResource, defineTool } from '../../src/index.js';
import { appOf, clientOf, recordingLogger } from '../harness.js';

const MIB = 1024 * 1024;

describe.each(['2025-11-25', '2026-07-28'])('a result of %s', (version) => {
  const definitions = [
    defineTool({
      name: 'list',
      input: { type: 'object', properties: { text: { type: 'string' }, times: { type: 'integer' } } },
      handle: ({ text, times }) => String(text).repeat(Number(times)),
    }),
    defineResource({ uri: 'x://large', name: 'large', handle: () => 'x'.repeat(1_000) }),
  ];

  test('that is too large has the model ask for less, and is logged', async () => {
    const logger = recordingLogger();
    const app = await appOf({ definitions, logger, limits: { maxResultBytes: 1_000 } });
    const client = await clientOf(app, version);
    const result = await client.call('list', { text: 'x', times: 1_000 });
    expect(result).toMatchObject({
      isError: true,
      content: [
        {
          text: expect.stringMatching(
            /^The result is too large: it has \d{4} bytes, but the maximum is 1000\. Request less, for example with a filter, a range or a page$/,
          ),
        },
      ],
    });
    expect(logger.lines).toMatchObject([
      { level: 'warn', message: 'a result is too large', details: { where: "defineTool('list')" } },
    ]);
    expect((await client.call('list', { text: 'x', times: 500 }))['isError']).toBeUndefined();
  });

  test('is measured in bytes', async () => {
    const client = await clientOf(await appOf({ definitions, limits: { maxResultBytes: 1_000 } }), version);
    expect((await client.call('list', { text: '\u20ac', times: 200 }))['isError']).toBeUndefined();
    expect((await client.call('list', { text: '\u20ac', times: 330 }))['isError']).toBe(true);
  });

  test('that is too large is an error for all but tools', async () => {
    const client = await clientOf(await appOf({ definitions, limits: { maxResultBytes: 1_000 } }), version);
    expect(await client.error('resources/read', { uri: 'x://large' })).toMatchObject({
      code: -32603,
      message: expect.stringContaining('Request less,'),
    });
  });

  test('may have 16 MiB unless an option says otherwise', async () => {
    const client = await clientOf(await appOf({ definitions }), version);
    expect((await client.call('list', { text: 'x', times: 16 * MIB - 1_000 }))['isError']).toBeUndefined();
    expect((await client.call('list', { text: 'x', times: 16 * MIB }))['isError']).toBe(true);
  });
});
