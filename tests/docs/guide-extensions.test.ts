import { expect, test } from '@jest/globals';
import { describePage, textOf } from './guide-page.js';

describePage('extensions', ({ connect, print, write }) => {
  test.each(['legacy', { pin: '2026-07-28' }] as const)(
    'shows a server that any client can use, %j',
    async (mode) => {
      const client = await connect('main.ts', { mode });
      expect(client.getServerCapabilities()).toMatchObject({
        extensions: { 'com.example/quota': { limit: 4 } },
      });
      expect((await client.listTools()).tools).toMatchObject([
        { name: 'predict', _meta: { 'com.example/cost': 2 } },
      ]);
      const { contents } = await client.readResource({ uri: 'oracle://today' });
      expect(contents).toMatchObject([{ text: 'Rain', _meta: { 'com.example/cost': 1 } }]);
      const predict = async () => textOf(await client.callTool({ name: 'predict' }));
      expect(await predict()).toBe('It will rain, and you have 2 left');
      expect(await predict()).toBe('It will rain, and you have 0 left');
      expect(await predict()).toBe('Your budget is used up');
    },
  );

  test('says truly that a call that asks the user is paid for once, and what the manifest has', async () => {
    await write(
      'asking.js',
      `import { createApp, defineTool } from '@sigil/core';
      import { manifestOf } from '@sigil/core/manifest';
      import { connect, textOf } from '@sigil/testing';
      import { Cost, quota, budgetLeft } from './quota.js';
      const form = { type: 'object', properties: { sure: { type: 'boolean' } } };
      const ask = defineTool({
        name: 'ask',
        metadata: Cost.entry(1),
        handle: async (_args, ctx) => (await ctx.elicit('Sure?', form)).action + budgetLeft(ctx),
      });
      const app = await createApp({ name: 'a', version: '1', definitions: [ask], extensions: [quota({ limit: 9 })] });
      console.log(JSON.stringify(manifestOf(app).tools[0]));
      for (const revision of ['2026-07-28', '2025-11-25']) {
        const principal = { id: revision };
        const onElicit = () => ({ action: 'accept', content: {} });
        const client = await connect(app, { revision, principal, onElicit });
        for (let call = 0; call < 2; call++) console.log(textOf(await client.callTool('ask')));
        await client.close();
      }
      await app.close();`,
    );
    const [manifest = '', ...said] = (await print('asking.ts')).trim().split('\n');
    expect(JSON.parse(manifest)).toMatchObject({ name: 'ask', 'com.example/cost': 1 });
    expect(said).toEqual(['accept8', 'accept7', 'accept8', 'accept7']);
  });
});
