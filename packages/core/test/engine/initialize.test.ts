import { describe, expect, test } from '@jest/globals';
import { Arg, Complete, Prompt, Resource, Tool, ToolContext } from '../../src/index.js';
import { appOf, Client, openSession, statelessClient } from '../harness.js';

const request = (protocolVersion: unknown) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'tester', version: '0' },
});

describe('initialize', () => {
  test.each([
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
    ['2099-01-01', '2025-11-25'],
    ['__proto__', '2025-11-25'],
    ['', '2025-11-25'],
  ])('answers a client that asks for %j with %s [checklist 7]', async (asked, settled) => {
    const client = new Client(await appOf({}));
    const result = await client.result('initialize', request(asked));
    expect(result['protocolVersion']).toBe(settled);
  });

  test('tells who the server is and how to use it', async () => {
    const app = await appOf({ title: 'Test', instructions: 'Ask first.' });
    const result = await new Client(app).result('initialize', request('2025-11-25'));
    expect(result).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: { logging: {} },
      serverInfo: { name: 'test', version: '1.0.0', title: 'Test' },
      instructions: 'Ask first.',
    });
  });

  test('derives the capabilities from what is registered', async () => {
    class Everything {
      @Tool()
      tool() {
        return 1;
      }
      @Resource('config://app')
      resource() {
        return 'x';
      }
      @Prompt()
      greet(@Arg('name') name: string) {
        return name;
      }
      @Complete('greet', 'name')
      names() {
        return [];
      }
    }
    const app = await appOf({ services: [Everything] });
    const result = await new Client(app).result('initialize', request('2025-11-25'));
    expect(result['capabilities']).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    });
  });

  test('announces capabilities outside the specification, as server/discover does', async () => {
    const experimental = { 'com.example/search': { languages: ['en'] } };
    const app = await appOf({ experimental });
    const opened = await new Client(app).result('initialize', request('2025-11-25'));
    const discovered = await statelessClient(app).result('server/discover');
    for (const { capabilities } of [opened, discovered]) expect(capabilities).toMatchObject({ experimental });
    const { capabilities } = await new Client(await appOf({})).result('initialize', request('2025-11-25'));
    expect(capabilities).not.toHaveProperty('experimental');
  });

  test.each([[undefined], [7], [null], [['2025-11-25']]])(
    'refuses the protocol version %j with -32602',
    async (version) => {
      const client = new Client(await appOf({}));
      expect(await client.error('initialize', request(version))).toMatchObject({ code: -32602 });
    },
  );

  test('is refused a second time, and the session goes on [checklist 23]', async () => {
    const client = await openSession(await appOf({}), '2025-06-18');
    expect(await client.error('initialize', request('2025-11-25'))).toMatchObject({ code: -32600 });
    expect(await client.result('ping')).toEqual({});
  });

  test('tells handlers who the client is', async () => {
    class Clients {
      @Tool()
      who(context: ToolContext) {
        return { ...context.client.info, ...context.client.capabilities, v: context.client.protocolVersion };
      }
    }
    const client = await openSession(await appOf({ services: [Clients] }), '2025-06-18', { roots: {} });
    expect((await client.call('who'))['structuredContent']).toEqual({
      name: 'tester',
      version: '0',
      roots: {},
      v: '2025-06-18',
    });
  });
});

describe('a connection without a session', () => {
  test('answers ping', async () => {
    expect(await new Client(await appOf({})).result('ping')).toEqual({});
  });

  test.each(['tools/list', 'tools/call', 'resources/list', 'logging/setLevel', 'server/discover'])(
    'refuses %s with -32602, and says what is missing [checklist 2]',
    async (method) => {
      const error = await new Client(await appOf({})).error(method, { name: 'x' });
      expect(error).toMatchObject({ code: -32602, data: { supported: ['2026-07-28'] } });
      expect(error.message).toContain('initialize');
      expect(error.message).toContain('io.modelcontextprotocol/protocolVersion');
    },
  );

  test('hears of no changes', async () => {
    class Tools {
      @Tool()
      one() {
        return 1;
      }
    }
    const app = await appOf({ services: [Tools] });
    const client = new Client(app);
    await client.result('ping');
    app.tools.remove('one');
    await client.result('ping');
    expect(client.received).toHaveLength(2);
  });
});

describe('a session', () => {
  test.each(['server/discover', 'subscriptions/listen', 'tasks/list', 'nothing/at-all', '__proto__'])(
    'does not know %s',
    async (method) => {
      const client = await openSession(await appOf({}));
      expect(await client.error(method)).toMatchObject({ code: -32601 });
    },
  );

  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
    'refuses %s of a server that never had any',
    async (method) => {
      const client = await openSession(await appOf({}));
      expect(await client.error(method)).toMatchObject({ code: -32601 });
    },
  );
});
