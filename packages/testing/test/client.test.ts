import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  Arg,
  type App,
  Complete,
  createApp,
  ERROR_CODES,
  Param,
  Prompt,
  Resource,
  Tool,
  ToolContext,
  ToolError,
} from '@sigil/core';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '@sigil/core/protocol';
import { connect, type ProgressUpdate, type TestClient, textOf } from '../src/index.js';

class Desk {
  @Tool()
  add(@Arg('a') a: number, @Arg('b') b: number): number {
    return a + b;
  }

  @Tool()
  fail(): never {
    throw new ToolError('the ink is dry');
  }

  @Tool()
  copy(@Arg('pages') pages: number, context: ToolContext): string {
    for (let page = 1; page <= pages; page++) context.progress(page, pages);
    context.log.debug('paper tray half full');
    context.log.warning('paper tray empty');
    return `${pages} copied`;
  }

  @Tool()
  wait(context: ToolContext): Promise<string> {
    return new Promise((resolve) => {
      context.signal.addEventListener('abort', () => {
        this.cancelled = (context.signal.reason as Error).message;
        resolve('too late');
      });
    });
  }

  @Tool()
  visitor(context: ToolContext): string {
    return `${context.principal?.id} ${String(context.headers['x-tenant'])} ${context.client.info?.name}`;
  }

  @Tool()
  note(context: ToolContext): string {
    return JSON.stringify(context.meta['example.org/note'] ?? null);
  }

  @Resource('desk://manual')
  manual(): string {
    return 'Press the button.';
  }

  @Resource('desk://drawers/{drawer}', { list: 'labels' })
  drawer(@Param('drawer') drawer: string): string | undefined {
    return drawer === 'top' ? 'pencils' : undefined;
  }

  labels() {
    return ['top', 'middle', 'bottom'].map((drawer) => ({ variables: { drawer }, name: drawer }));
  }

  @Complete('desk://drawers/{drawer}', 'drawer')
  drawers(prefix: string): string[] {
    return ['top', 'middle', 'bottom'].filter((name) => name.startsWith(prefix));
  }

  @Prompt()
  letter(@Arg('to') to: string): string {
    return `Write a letter to ${to}.`;
  }

  cancelled: string | undefined;
}

const STATELESS: readonly ProtocolVersion[] = ['2026-07-28'];

describe.each(PROTOCOL_VERSIONS)('a client of %s', (revision) => {
  const isStateless = STATELESS.includes(revision);
  let app: App;
  let client: TestClient;

  beforeEach(async () => {
    app = await createApp({ name: 'desk', version: '1.0.0', services: [Desk], pageSize: 2 });
    client = await connect(app, { revision });
  });

  afterEach(async () => {
    await client.close();
    await app.close();
  });

  test('knows what it speaks, and with whom', async () => {
    expect(client.revision).toBe(revision);
    if (isStateless) {
      expect(client.server).toBeUndefined();
      expect(await client.discover()).toMatchObject({
        supportedVersions: [revision],
        capabilities: { tools: {} },
      });
    } else {
      expect(client.server).toMatchObject({
        protocolVersion: revision,
        serverInfo: { name: 'desk', version: '1.0.0' },
      });
      await expect(client.discover()).rejects.toMatchObject({ code: ERROR_CODES.methodNotFound });
    }
  });

  test('lists everything, page after page', async () => {
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names).toEqual(['add', 'fail', 'copy', 'wait', 'visitor', 'note']);
    const drawers = ['top', 'middle', 'bottom'].map((name) => ({ uri: `desk://drawers/${name}`, name }));
    expect(await client.listResources()).toEqual([
      expect.objectContaining({ uri: 'desk://manual' }),
      ...drawers,
    ]);
    expect(await client.listResourceTemplates()).toMatchObject([{ uriTemplate: 'desk://drawers/{drawer}' }]);
    expect(await client.listPrompts()).toMatchObject([
      { name: 'letter', arguments: [{ name: 'to', required: true }] },
    ]);
  });

  test('calls tools', async () => {
    expect(textOf(await client.callTool('add', { a: 2, b: 3 }))).toBe('5');
    expect(await client.callTool('fail')).toMatchObject({
      isError: true,
      content: [{ text: 'the ink is dry' }],
    });
  });

  test('rejects with the error of the response', async () => {
    const call = client.callTool('shred');
    await expect(call).rejects.toMatchObject({ name: 'ProtocolError', code: ERROR_CODES.invalidParams });
    await expect(client.request('desk/none')).rejects.toMatchObject({ code: ERROR_CODES.methodNotFound });
  });

  test('reads resources and refuses those that are not there', async () => {
    expect(textOf(await client.readResource('desk://manual'))).toBe('Press the button.');
    expect(textOf(await client.readResource('desk://drawers/top'))).toBe('pencils');
    const code = isStateless ? ERROR_CODES.invalidParams : ERROR_CODES.resourceNotFound;
    await expect(client.readResource('desk://drawers/secret')).rejects.toMatchObject({ code });
  });

  test('gets prompts and completes arguments', async () => {
    expect(textOf(await client.getPrompt('letter', { to: 'Ada' }))).toBe('Write a letter to Ada.');
    const ref = { type: 'ref/resource', uri: 'desk://drawers/{drawer}' } as const;
    expect(await client.complete(ref, 'drawer', 'm')).toEqual({
      values: ['middle'],
      total: 1,
      hasMore: false,
    });
  });

  test('pings where there is a ping', async () => {
    if (isStateless) await expect(client.ping()).rejects.toMatchObject({ code: ERROR_CODES.methodNotFound });
    else await expect(client.ping()).resolves.toBeUndefined();
  });

  test('hands progress to the call it belongs to', async () => {
    const seen: ProgressUpdate[] = [];
    const other = jest.fn();
    await Promise.all([
      client.callTool('copy', { pages: 2 }, { onProgress: (progress) => seen.push(progress) }),
      client.callTool('add', { a: 1, b: 1 }, { onProgress: other }),
      client.callTool('copy', { pages: 1 }),
    ]);
    expect(seen).toMatchObject([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
    expect(other).not.toHaveBeenCalled();
  });

  test('asks for log messages by level, with one call', async () => {
    await client.callTool('copy', { pages: 1 }, { logLevel: 'warning' });
    expect(client.notifications.map(({ params }) => params['data'])).toEqual(['paper tray empty']);
  });

  test('asks for log messages by level, once for all calls', async () => {
    await client.setLogLevel('debug');
    await client.callTool('copy', { pages: 1 });
    expect(client.notifications.map(({ params }) => params['level'])).toEqual(['debug', 'warning']);
  });

  test('sends the members of _meta it is told', async () => {
    const result = await client.callTool('note', {}, { meta: { 'example.org/note': 7 } });
    expect(textOf(result)).toBe('7');
  });

  test('cancels a call whose signal aborts', async () => {
    const service = new Desk();
    await using own = await createApp({
      name: 'desk',
      version: '1.0.0',
      services: [Desk],
      providers: [{ provide: Desk, useValue: service }],
    });
    await using visitor = await connect(own, { revision });
    const controller = new AbortController();
    const call = visitor.callTool('wait', {}, { signal: controller.signal });
    const reason = new Error('the phone rings');
    setTimeout(() => controller.abort(reason), 5);
    await expect(call).rejects.toBe(reason);
    await visitor.callTool('add', { a: 1, b: 1 });
    expect(service.cancelled).toBe('the phone rings');
  });

  test('sends nothing when the signal has aborted already', async () => {
    const call = client.callTool('wait', {}, { signal: AbortSignal.abort(new Error('never mind')) });
    await expect(call).rejects.toThrow('never mind');
  });

  test('gives up a call that takes too long', async () => {
    const call = client.callTool('wait', {}, { timeoutMs: 10 });
    await expect(call).rejects.toThrow(/^tools\/call \(request \d+\) was not answered within 10 ms$/);
  });

  test('stands for a caller that a transport has verified', async () => {
    const as = {
      principal: { id: 'ada' },
      headers: { 'X-Tenant': 'north' },
      clientInfo: { name: 'pen', version: '1' },
    };
    await using visitor = await connect(app, { revision, ...as });
    expect(textOf(await visitor.callTool('visitor'))).toBe('ada north pen');
    expect(textOf(await client.callTool('visitor'))).toBe('undefined undefined sigil-testing');
  });

  test('fails what is under way when it closes, and everything after', async () => {
    const call = client.callTool('wait');
    const wait = client.waitFor('notifications/never');
    const failures = Promise.all([
      expect(call).rejects.toThrow('The client was closed'),
      expect(wait).rejects.toThrow('The client was closed'),
    ]);
    await client.close();
    await failures;
    await expect(client.listTools()).rejects.toThrow('The client was closed');
    await expect(client.waitFor('notifications/never')).rejects.toThrow('The client was closed');
  });
});
