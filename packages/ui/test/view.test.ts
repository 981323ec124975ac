import { describe, expect, test } from '@jest/globals';
import { connect, textOf, type View } from '../src/index.js';
import { type Answer, HostDouble } from './host-double.js';

const NAMED = { name: 'list', version: '1.0.0' };
const RESULT = { content: [{ type: 'text', text: 'Milk' }], structuredContent: { items: ['Milk'] } };

/** A host that answers a request, and the view that asks it. */
async function connected(answers: Readonly<Record<string, () => Answer>> = {}): Promise<{
  readonly host: HostDouble;
  readonly view: View;
}> {
  const host = new HostDouble({ context: { theme: 'light', locale: 'en' }, answers });
  return { host, view: await connect(NAMED) };
}

/** Lets what was sent arrive. */
const arrival = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what the host sends', () => {
  test('comes to its listeners, until they stop', async () => {
    const { host, view } = await connected();
    using _host = host;
    const seen: unknown[] = [];
    const stops = [
      view.onPartialInput((input) => seen.push(['partial', input])),
      view.onInput((input) => seen.push(['input', input])),
      view.onResult((result) => seen.push(['result', textOf(result)])),
      view.onCancelled((reason) => seen.push(['cancelled', reason])),
    ];
    host.send({ method: 'ui/notifications/tool-input-partial', params: { arguments: { name: 'Mi' } } });
    host.send({ method: 'ui/notifications/tool-input', params: { arguments: { name: 'Milk' } } });
    host.send({ method: 'ui/notifications/tool-result', params: RESULT });
    host.send({ method: 'ui/notifications/tool-cancelled', params: { reason: 'user action' } });
    const all = [
      ['partial', { name: 'Mi' }],
      ['input', { name: 'Milk' }],
      ['result', 'Milk'],
      ['cancelled', 'user action'],
    ];
    expect(seen).toEqual(all);
    stops.forEach((stop) => stop());
    host.send({ method: 'ui/notifications/tool-input', params: {} });
    expect(seen).toEqual(all);
  });

  test('is there for listeners that come later', async () => {
    const { host, view } = await connected();
    using _host = host;
    host.send({ method: 'ui/notifications/tool-input', params: {} });
    host.send({ method: 'ui/notifications/tool-result', params: RESULT });
    const seen: unknown[] = [];
    view.onInput((input) => seen.push(input));
    view.onResult(({ structuredContent }) => seen.push(structuredContent));
    expect(seen).toEqual([{}, { items: ['Milk'] }]);
  });

  test('changes the context, of which the rest stays', async () => {
    const { host, view } = await connected();
    using _host = host;
    const seen: unknown[] = [];
    view.onContext((context) => seen.push(context));
    host.send({ method: 'ui/notifications/host-context-changed', params: { theme: 'dark' } });
    expect(seen).toEqual([
      { theme: 'light', locale: 'en' },
      { theme: 'dark', locale: 'en' },
    ]);
    expect(view.context).toEqual({ theme: 'dark', locale: 'en' });
  });

  test('comes to every listener, also when one throws', async () => {
    const { host, view } = await connected();
    using _host = host;
    const seen: unknown[] = [];
    view.onInput(() => {
      throw new Error('broken');
    });
    view.onInput((input) => seen.push(input));
    host.send({ method: 'ui/notifications/tool-input', params: { arguments: { a: 1 } } });
    await arrival();
    expect(seen).toEqual([{ a: 1 }]);
    expect(host.reported).toMatchObject([{ message: 'broken' }]);
  });

  test('is answered when it is a request: after what the end of a view waits for', async () => {
    const { host, view } = await connected();
    using _host = host;
    const done: string[] = [];
    view.onTeardown(async () => {
      await arrival();
      done.push('saved');
    });
    const answered = (): unknown[] => host.received.filter(({ id, method }) => id === 'h' && !method);
    host.send({ id: 'h', method: 'ui/resource-teardown', params: {} });
    expect(answered()).toEqual([]);
    await arrival();
    await arrival();
    expect(done).toEqual(['saved']);
    expect(answered()).toEqual([{ jsonrpc: '2.0', id: 'h', result: {} }]);
  });

  test('is answered with an error when the view does not know it', async () => {
    const { host } = await connected();
    using _host = host;
    host.send({ id: 1, method: 'ping' });
    host.send({ id: 2, method: 'ui/dance' });
    host.send({ method: 'ui/notifications/dance' });
    await arrival();
    expect(host.received.filter(({ method }) => !method)).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'The view has no method ui/dance' } },
    ]);
  });

  test('is ignored when it is no message, of another window, or the answer to nothing', async () => {
    const { host, view } = await connected();
    using _host = host;
    const seen: unknown[] = [];
    view.onInput((input) => seen.push(input));
    for (const data of [
      null,
      undefined,
      7,
      'text',
      {},
      { jsonrpc: '1.0', method: 'ui/notifications/tool-input' },
    ])
      host.sendRaw(data);
    host.send({ method: 'ui/notifications/tool-input' }, { postMessage: () => undefined });
    host.send({ id: 99, result: {} });
    expect(seen).toEqual([]);
  });
});

describe('what a view asks of its host', () => {
  test('is a call of a tool, with its result', async () => {
    const { host, view } = await connected({ 'tools/call': () => ({ result: RESULT }) });
    using _host = host;
    expect(await view.callTool('add', { name: 'Milk', at: new Date(0) })).toEqual(RESULT);
    expect(host.sent('tools/call')).toEqual([
      { name: 'add', arguments: { name: 'Milk', at: '1970-01-01T00:00:00.000Z' } },
    ]);
  });

  test('is a resource, a link, a file, a message, what the model should know, or another mode', async () => {
    const contents = [{ uri: 'a://b', text: 'c' }];
    const { host, view } = await connected({
      'resources/read': () => ({ result: { contents } }),
      'ui/open-link': () => ({ result: {} }),
      'ui/download-file': () => ({ result: {} }),
      'ui/message': () => ({ result: {} }),
      'ui/update-model-context': () => ({ result: {} }),
      'ui/request-display-mode': () => ({ result: { mode: 'inline' } }),
    });
    using _host = host;
    const text = { type: 'text', text: 'Hello' } as const;
    const resource = { type: 'resource', resource: { uri: 'file:///a.txt', text: 'a' } } as const;
    expect(await view.readResource('a://b')).toEqual(contents);
    await view.openLink('https://example.com');
    await view.downloadFile([resource]);
    await view.sendMessage('Hello');
    await view.updateModelContext([text]);
    expect(await view.requestDisplayMode('fullscreen')).toBe('inline');
    view.log('info', { a: 1 });
    view.requestTeardown();
    expect(host.received.slice(-8).map(({ method, params }) => [method, params])).toEqual([
      ['resources/read', { uri: 'a://b' }],
      ['ui/open-link', { url: 'https://example.com' }],
      ['ui/download-file', { contents: [resource] }],
      ['ui/message', { role: 'user', content: [text] }],
      ['ui/update-model-context', { content: [text] }],
      ['ui/request-display-mode', { mode: 'fullscreen' }],
      ['notifications/message', { level: 'info', data: { a: 1 } }],
      ['ui/notifications/request-teardown', {}],
    ]);
  });

  test('fails when the host refuses it, by an error or by its result', async () => {
    const { host, view } = await connected({
      'ui/open-link': () => ({ result: { isError: true } }),
      'ui/message': () => ({ error: { code: -32601, message: 'Method not found' } }),
    });
    using _host = host;
    await expect(view.openLink('https://example.com')).rejects.toMatchObject({
      code: 'REFUSED',
      message: 'The host refused ui/open-link',
    });
    await expect(view.sendMessage('Hello')).rejects.toMatchObject({
      code: 'REFUSED',
      message: 'The host refused ui/message: Method not found',
    });
  });

  test('is given up when there is no answer in time, or by a signal, and the host is told', async () => {
    const { host, view } = await connected();
    using _host = host;
    await expect(view.callTool('slow', {}, { timeoutMs: 10 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const stop = new AbortController();
    const asked = view.callTool('slow', {}, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await expect(view.callTool('slow', {}, { signal: stop.signal })).rejects.toThrow('enough');
    expect(host.sent('tools/call')).toHaveLength(2);
    expect(host.sent('notifications/cancelled')).toEqual([
      { requestId: 2, reason: 'The host did not answer tools/call within 0.01 s' },
      { requestId: 3, reason: 'Cancelled by the view' },
    ]);
  });

  test('fails when the view is closed', async () => {
    const { host, view } = await connected();
    using _host = host;
    const asked = view.callTool('slow', {});
    view.close();
    await expect(asked).rejects.toMatchObject({ code: 'CLOSED', message: 'The view was closed' });
    await expect(view.callTool('slow', {})).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
