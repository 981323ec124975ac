import { afterEach, describe, expect, test } from '@jest/globals';
import { DefinitionError, defineTool, type RequestHeaders } from '@sigil/core';
import { http, type HttpOptions } from '../src/index.js';
import { BRIDGES } from './fixtures/bridges.js';
import { callModern, json, postModern } from './fixtures/messages.js';
import { type Bench, createBench } from './fixtures/suite.js';

const SECRETS = {
  Authorization: 'Bearer secret',
  'Proxy-Authorization': 'Basic secret',
  Cookie: 'id=secret',
};

let bench: Bench | undefined;
afterEach(async () => {
  await bench?.end();
  bench = undefined;
});

describe.each(BRIDGES.map((bridge) => [bridge.name, bridge] as const))(
  'the headers of a call · %s',
  (_name, bridge) => {
    /** What guards and the handler see of the secrets, and of a header that is none. */
    async function seen(options: HttpOptions = {}): Promise<unknown> {
      const names: string[][] = [];
      const look = (headers: RequestHeaders): boolean => {
        const known = ['authorization', 'proxy-authorization', 'cookie', 'x-tenant'];
        names.push(known.filter((name) => headers[name] !== undefined));
        return true;
      };
      const tool = defineTool({
        name: 'look',
        guards: [({ headers }) => look(headers)],
        handle: (_args, { headers }) => String(look(headers)),
      });
      bench = await createBench(bridge, options, { definitions: [tool] });
      const sent = { headers: { ...SECRETS, 'X-Tenant': 'acme' } };
      await json(await postModern(bench, 'tools/list', {}, sent));
      const called = await callModern(bench, 'look', {}, sent);
      expect((await json(called)).result).toMatchObject({ content: [{ text: 'true' }] });
      expect(names).toHaveLength(3);
      expect(new Set(names.map(String)).size).toBe(1);
      return names[0];
    }

    test('have no credentials', async () => {
      expect(await seen()).toEqual(['x-tenant']);
    });

    test('have those that are exposed', async () => {
      expect(await seen({ exposeHeaders: ['cookie'] })).toEqual(['cookie', 'x-tenant']);
    });
  },
);

test('what is no header with credentials cannot be exposed', () => {
  const wrong = (exposeHeaders: unknown) => () => http({ exposeHeaders } as HttpOptions);
  expect(wrong(['Cookie'])).toThrow(DefinitionError);
  expect(wrong(['x-tenant'])).toThrow(
    'it must be a list with any of authorization, proxy-authorization, cookie',
  );
  expect(wrong('cookie')).toThrow('exposeHeaders');
});
