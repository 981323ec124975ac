import { describe, expect, test } from '@jest/globals';
import { Tool, ToolContext } from '../../src/index.js';
import { META } from '../../src/transport/index.js';
import { appOf, Client, openSession, statelessClient } from '../harness.js';

const envelope = (more: Record<string, unknown> = {}) => ({
  _meta: { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {}, ...more },
});

describe('a request with an envelope', () => {
  class Clients {
    @Tool()
    who({ client, meta }: ToolContext) {
      return {
        version: client.protocolVersion,
        name: client.info?.name ?? null,
        token: meta['mine'] ?? null,
      };
    }
  }
  const client = async () => new Client(await appOf({ services: [Clients] }));

  test('is served without a session, clientInfo or not [checklist 1] [checklist 3]', async () => {
    const params = { name: 'who', ...envelope({ mine: 1 }) };
    expect(await (await client()).result('tools/call', params)).toMatchObject({
      structuredContent: { version: '2026-07-28', name: null, token: 1 },
    });
  });

  test.each(['2025-11-25', '2024-11-05', '2099-01-01', '', 7, null])(
    'is refused with -32022 when it claims the version %j [checklist 5]',
    async (version) => {
      const error = await (await client()).error('tools/list', envelope({ [META.protocolVersion]: version }));
      expect(error).toMatchObject({
        code: -32022,
        data: { supported: ['2026-07-28'], requested: version },
      });
    },
  );

  test.each([
    ['missing', undefined],
    ['null', null],
    ['an array', []],
    ['a string', 'all'],
  ])('is refused with -32602 when clientCapabilities are %s [checklist 2]', async (_, capabilities) => {
    for (const method of ['tools/list', 'server/discover']) {
      const params = envelope({ [META.clientCapabilities]: capabilities });
      expect(await (await client()).error(method, params)).toMatchObject({
        code: -32602,
        message: expect.stringContaining('clientCapabilities'),
      });
    }
  });

  test('is refused with -32602 when its log level is none [checklist 40]', async () => {
    const error = await (await client()).error('tools/list', envelope({ [META.logLevel]: 'loud' }));
    expect(error).toMatchObject({ code: -32602 });
  });

  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
    'no/such/method',
    'constructor',
  ])('is refused with -32601 when it asks for %s [checklist 6]', async (method) => {
    expect(await (await client()).error(method, envelope())).toMatchObject({ code: -32601 });
  });

  test('gets an error with its id [checklist 9]', async () => {
    const response = await (await client()).request('no/such', envelope(), 'mine');
    expect(response).toMatchObject({ id: 'mine', error: { code: -32601 } });
  });
});

describe('server/discover', () => {
  test('gives versions, capabilities and instructions', async () => {
    class Tools {
      @Tool()
      one() {
        return 1;
      }
    }
    const app = await appOf({ services: [Tools], instructions: 'Ask first.', cache: { ttlMs: 5000 } });
    expect(await statelessClient(app).result('server/discover')).toEqual({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true }, logging: {} },
      instructions: 'Ask first.',
      resultType: 'complete',
      ttlMs: 5000,
      cacheScope: 'public',
      _meta: { [META.serverInfo]: { name: 'test', version: '1.0.0' } },
    });
  });
});

describe('one connection', () => {
  test('serves both eras in turns, and neither sees the other [checklist 8] [checklist 48]', async () => {
    class Clients {
      @Tool()
      who({ client }: ToolContext) {
        return client.protocolVersion;
      }
    }
    const client = await openSession(await appOf({ services: [Clients] }), '2025-03-26');
    const modern = () => client.result('tools/call', { name: 'who', ...envelope() });
    expect(await modern()).toMatchObject({
      content: [{ type: 'text', text: '2026-07-28' }],
      resultType: 'complete',
    });
    expect(await client.call('who')).toEqual({ content: [{ type: 'text', text: '2025-03-26' }] });
    expect(await modern()).toMatchObject({ content: [{ type: 'text', text: '2026-07-28' }] });
  });

  test('opens a session after it was probed with server/discover [checklist 48]', async () => {
    const client = new Client(await appOf({}));
    await client.result('server/discover', envelope());
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    expect(await client.result('initialize', params)).toMatchObject({ protocolVersion: '2025-11-25' });
  });
});
