import { describe, expect, test } from '@jest/globals';
import { connect, ViewError } from '../src/index.js';
import { HostDouble } from './host-double.js';

const NAMED = { name: 'list', version: '1.0.0' };

describe('a view that connects', () => {
  test('says what it is, and that it is ready', async () => {
    using host = new HostDouble({ context: { theme: 'dark', locale: 'de-AT' } });
    const view = await connect({ ...NAMED, displayModes: ['inline', 'fullscreen'] });
    expect(host.sent('ui/initialize')).toEqual([
      {
        appInfo: NAMED,
        appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
        protocolVersion: '2026-01-26',
      },
    ]);
    expect(host.sent('ui/notifications/initialized')).toEqual([{}]);
    expect(view.host).toEqual({ name: 'double', version: '1.0.0' });
    expect(view.capabilities).toEqual({ serverTools: {} });
    expect(view.context).toEqual({ theme: 'dark', locale: 'de-AT' });
  });

  test('is refused where no host embeds the page', async () => {
    using host = new HostDouble({ isFramed: false });
    await expect(connect(NAMED)).rejects.toMatchObject({
      name: 'ViewError',
      code: 'NO_HOST',
      message: expect.stringContaining('open it in a host for MCP Apps,'),
    });
    expect(host.received).toEqual([]);
  });

  test('is refused by a host that says no, with its words', async () => {
    const error = { code: -32602, message: 'Unsupported protocol version' };
    using _host = new HostDouble({ answers: { 'ui/initialize': () => ({ error }) } });
    await expect(connect(NAMED)).rejects.toMatchObject({
      code: 'REFUSED',
      message: 'The host refused ui/initialize: Unsupported protocol version',
      cause: error,
    });
  });

  test('gives up on a window that does not answer', async () => {
    using host = new HostDouble({ answers: { 'ui/initialize': () => undefined } });
    await expect(connect({ ...NAMED, timeoutMs: 20 })).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: 'The host did not answer ui/initialize within 0.02 s',
    });
    expect(host.sent('ui/notifications/initialized')).toEqual([]);
  });

  test('is not taken in by a window that is not the host', async () => {
    using host = new HostDouble({ answers: { 'ui/initialize': () => undefined } });
    const connecting = connect({ ...NAMED, timeoutMs: 50 });
    const result = { hostInfo: { name: 'thief', version: '1' }, hostCapabilities: {}, hostContext: {} };
    host.send({ id: 1, result }, { postMessage: () => undefined });
    await expect(connecting).rejects.toBeInstanceOf(ViewError);
  });

  test('reports the size of the document at first and when it changes, in whole pixels', async () => {
    using host = new HostDouble();
    const view = await connect(NAMED);
    host.resize(300, 200.2);
    expect(host.sent('ui/notifications/size-changed')).toEqual([
      { width: 300, height: 100 },
      { width: 300, height: 201 },
    ]);
    view.close();
    host.resize(300, 400);
    expect(host.sent('ui/notifications/size-changed')).toHaveLength(2);
  });

  test('reports no size but its own when it wants that', async () => {
    using host = new HostDouble();
    const view = await connect({ ...NAMED, reportsSize: false });
    view.reportSize({ height: 50 });
    expect(host.sent('ui/notifications/size-changed')).toEqual([{ height: 50 }]);
  });
});
