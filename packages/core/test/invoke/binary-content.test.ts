import { describe, expect, test } from '@jest/globals';
import { content, message, resourceContents } from '../../src/content.js';
import { definePrompt, defineResource, defineTool } from '../../src/index.js';
import { appOf, openSession, recordingLogger, textOf } from '../harness.js';

const bytes = Buffer.from([1, 2, 3]);
const image = (data: unknown) => ({ type: 'image', data, mimeType: 'image/png' });
const uri = 'x://y';

async function serve(handle: () => unknown) {
  const logger = recordingLogger();
  const definitions = [
    defineTool({ name: 'one', handle }),
    definePrompt({ name: 'one', handle }),
    defineResource({ uri, name: 'one', handle }),
  ];
  return { client: await openSession(await appOf({ definitions, logger })), logger };
}

describe('bytes in content that is written by hand', () => {
  test.each<[string, unknown]>([
    ['a block', image(bytes)],
    ['a list of blocks', [image(bytes)]],
    ['a whole result', { content: [image(bytes)] }],
  ])('are base64 in %s of a tool', async (_what, value) => {
    const { client } = await serve(() => value);
    expect(await client.call('one')).toEqual({ content: [image('AQID')] });
  });

  test('are base64 in an embedded resource', async () => {
    const { client } = await serve(() => ({ type: 'resource', resource: { uri, blob: bytes } }));
    expect(await client.call('one')).toEqual({
      content: [{ type: 'resource', resource: { uri, blob: 'AQID' } }],
    });
  });

  test('are base64 in a message of a prompt', async () => {
    const { client } = await serve(() => ({ messages: [{ role: 'user', content: image(bytes) }] }));
    expect((await client.result('prompts/get', { name: 'one' }))['messages']).toEqual([
      { role: 'user', content: image('AQID') },
    ]);
  });

  test('are base64 in the contents of a resource', async () => {
    const { client } = await serve(() => ({ uri, blob: bytes }));
    expect((await client.result('resources/read', { uri }))['contents']).toEqual([{ uri, blob: 'AQID' }]);
  });
});

describe('a text that is not base64', () => {
  const bad = ['data:image/png;base64,AQID', 'AQI', 'AQ ID===', 'Zürich=='];

  test.each(bad)('is refused in an image of a tool and a prompt: %j', async (data) => {
    for (const make of [
      () => content.image(data, 'image/png'),
      () => [message.user(content.audio(data, 'x'))],
    ]) {
      const { client, logger } = await serve(make);
      await client.request('tools/call', { name: 'one' });
      await client.request('prompts/get', { name: 'one' });
      const reasons = logger.lines.map(({ details }) => String(details['err']));
      expect(reasons).toContainEqual(expect.stringContaining('must be bytes or base64'));
    }
  });

  test.each(bad)('is refused in the contents of a resource: %j', async (data) => {
    const { client, logger } = await serve(() => resourceContents.blob(uri, data));
    expect(await client.error('resources/read', { uri })).toMatchObject({ code: -32603 });
    expect(String(logger.lines[0]?.details['err'])).toContain(
      '"blob" of the contents of a resource must be bytes or base64',
    );
  });

  test('is refused in what a model is asked, where bytes are base64', async () => {
    const asked: unknown[] = [];
    const definitions = ['AQID', 'no base64'].map((data, at) =>
      defineTool({
        name: `tool${at}`,
        handle: async (_args, context) => {
          const block = { ...content.image('', 'image/png'), data: at === 0 ? (bytes as never) : data };
          return (await context.sample({ messages: [{ role: 'user', content: block }], maxTokens: 1 })).model;
        },
      }),
    );
    const answer = ({ params }: { readonly params?: unknown }): unknown => {
      asked.push(params);
      return { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' };
    };
    const client = await openSession(
      await appOf({ definitions }),
      '2025-11-25',
      { sampling: {} },
      { answer },
    );
    expect(textOf(await client.call('tool0'))).toBe('m');
    expect(await client.call('tool1')).toMatchObject({ isError: true });
    expect(asked).toEqual([
      expect.objectContaining({ messages: [{ role: 'user', content: image('AQID') }] }),
    ]);
  });
});
