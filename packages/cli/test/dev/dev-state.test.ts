import { describe, expect, test } from '@jest/globals';
import { DevState } from '../../src/dev/dev-state.js';

describe('the state of sigil dev', () => {
  test('tells subscribers, until they no longer want to hear', () => {
    const state = new DevState();
    const heard: unknown[] = [];
    const stop = state.subscribe({
      statusChanged: () => heard.push(state.server.status),
      servedChanged: () => heard.push(`start ${state.starts}`),
      written: ({ source, text, isError }) => heard.push([source, text, isError]),
      told: (event, data) => heard.push([event, data]),
    });
    state.subscribe({});
    state.change({ starts: 1 });
    state.change({ server: { status: 'up', url: 'http://127.0.0.1:3000/mcp' } });
    state.write('server', 'one');
    state.write('compiler', 'two', true);
    state.tell('call', { method: 'tools/call', name: 'add', outcome: 'ok' });
    stop();
    state.change({ starts: 2 });
    state.write('server', 'three');
    expect(heard).toEqual([
      'starting',
      'start 1',
      'up',
      ['server', 'one', false],
      ['compiler', 'two', true],
      ['call', { method: 'tools/call', name: 'add', outcome: 'ok' }],
    ]);
    expect(state.activity.calls).toMatchObject([{ about: 'add', outcome: 'ok' }]);
  });

  test('keeps the last 500 lines', () => {
    const state = new DevState();
    for (let count = 1; count <= 501; count += 1) state.write('server', `line ${count}`);
    expect(state.lines).toHaveLength(500);
    expect(state.lines[0]).toEqual({ source: 'server', text: 'line 2', isError: false });
  });
});
