import { expect, test } from '@jest/globals';
import { Arg, Param, Prompt, Resource, Service, Tool } from '../../src/index.js';
import { appOf, type Json, statelessClient, textOf } from '../harness.js';

test('an argument that was left out is none, also where every object has a member of its name', async () => {
  @Service()
  class Names {
    @Tool()
    initialised(@Arg('valueOf') value: number = 7): string {
      return String(value);
    }

    @Tool()
    optional(@Arg('constructor', { optional: true }) value?: string): string {
      return String(value);
    }

    @Prompt()
    prompt(@Arg('toString', { optional: true }) value?: string): string {
      return String(value);
    }

    @Resource('names://a{?hasOwnProperty}')
    resource(@Param('hasOwnProperty', { optional: true }) value?: string): string {
      return String(value);
    }
  }
  const client = statelessClient(await appOf({ services: [Names] }));
  expect(textOf(await client.call('initialised', {}))).toBe('7');
  expect(textOf(await client.call('initialised', { valueOf: 8 }))).toBe('8');
  expect(textOf(await client.call('optional', {}))).toBe('undefined');
  const { messages } = await client.result('prompts/get', { name: 'prompt', arguments: {} });
  expect(messages).toMatchObject([{ content: { text: 'undefined' } }]);
  const { contents } = await client.result('resources/read', { uri: 'names://a' });
  expect((contents as Json[])[0]).toMatchObject({ text: 'undefined' });
});
