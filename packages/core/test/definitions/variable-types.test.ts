import { expect, test } from '@jest/globals';
import { message } from '../../src/content.js';
import { defineResource, defineTool, type VariablesOf } from '../../src/index.js';
import { appOf, openSession } from '../harness.js';

/** Compiles where both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(value?: T): unknown => value;

test('variables of a template are strings in types, and at run time', async () => {
  holds<
    Same<VariablesOf<'x://{a}/{+b}{/c:3}'>, { readonly a: string; readonly b: string; readonly c: string }>
  >();
  holds<Same<VariablesOf<'x://{a*}'>, { readonly a: string | string[] }>>();
  holds<Same<VariablesOf<'x://{a,b}{?c}'>['c'], string | undefined>>();
  holds<Same<VariablesOf<string>, Record<string, string>>>();
  const note = defineResource({
    uri: 'note://{folder}/{id}{?format}',
    name: 'note',
    handle: ({ folder, id, format }) => `${folder.toUpperCase()} ${id.length} ${format ?? 'none'}`,
  });
  // @ts-expect-error the template has no such variable
  defineResource({ uri: 'note://{id}', name: 'note', handle: ({ other }) => other as unknown });
  const client = await openSession(await appOf({ definitions: [note] }));
  const textAt = async (uri: string) => (await client.result('resources/read', { uri }))['contents'];
  expect(await textAt('note://a/12')).toMatchObject([{ text: 'A 2 none' }]);
  expect(await textAt('note://a/12?format=md')).toMatchObject([{ text: 'A 2 md' }]);
});

test('messages of prompts are messages for a model', async () => {
  const asking = defineTool({
    name: 'ask',
    handle: async (_args, ctx) => {
      const messages = [message.user('Hi'), message.assistant({ type: 'text', text: 'Hello' })];
      return (await ctx.sample({ messages, maxTokens: 10 })).model;
    },
  });
  const answer = (): unknown => ({ role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' });
  const app = await appOf({ definitions: [asking] });
  const client = await openSession(app, '2025-11-25', { sampling: {} }, { answer });
  expect(await client.call('ask')).toMatchObject({ content: [{ text: 'm' }] });
});
