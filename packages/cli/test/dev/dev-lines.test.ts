import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Manifest } from '@sigil/core/manifest';
import { checkManifest } from '../../src/check/check-manifest.js';
import { devLines, panelRows, type DevView } from '../../src/dev/dev-lines.js';
import type { Served } from '../../src/dev/dev-loop.js';
import { DevState } from '../../src/dev/dev-state.js';

const plain = { out: () => undefined, err: () => undefined, hasColours: false };
const coloured = { ...plain, hasColours: true };
const TIME = '2026-11-20T09:12:44.031Z';

function served(tools: number): Served {
  const manifest: Manifest = {
    format: 'sigil-manifest/1',
    server: { name: 'hotel', version: '1.0.0' },
    capabilities: {},
    tools: Array.from({ length: tools }, (_, at) => ({
      name: `tool_${at}`,
      inputSchema: { type: 'object', properties: { room: {}, nights: {} }, required: ['room'] },
      scopes: ['rooms:read', 'rooms:write'],
    })),
    resources: [{ name: 'all', uri: 'hotel://rooms' }],
    resourceTemplates: [],
    prompts: [{ name: 'advise', arguments: [{ name: 'topic', required: true }, { name: 'tone' }] }],
  };
  return { manifest, report: checkManifest(manifest, { budget: 1_000 }) };
}

describe('the screen of sigil dev', () => {
  let state: DevState;
  let view: DevView;
  beforeEach(() => {
    state = new DevState();
    state.change({ server: { status: 'up', url: 'http://127.0.0.1:3000/mcp' }, starts: 1 });
    view = { state, served: served(1), failure: [], panel: undefined, keys: 'q quit' };
  });

  const linesOf = (columns = 100, rows = 30): string[] => devLines(view, { columns, rows, terminal: plain });

  function fill(): void {
    view = { ...view, served: served(200) };
    const problems = Array.from(
      { length: 40 },
      (_, at) => `a.ts(${at},1): error TS1: wrong ${'x'.repeat(200)}`,
    );
    state.change({ compiler: { isCompiling: false, problems, isUnderstood: true } });
    for (let at = 0; at < 60; at += 1) {
      state.write('server', `line ${at} 日本語${'語'.repeat(90)}`);
      state.tell('call', { time: TIME, method: 'tools/call', name: `tool_${at}`, outcome: 'ok', ms: 1 });
      state.tell('question', { time: TIME, id: `${at}`, asks: 'roots/list', status: 'open' });
      state.tell('task', { time: TIME, id: `${at}`, tool: 'report', status: 'working', ms: 0 });
    }
  }

  test('names what is served with arguments, scopes and tokens', () => {
    const lines = linesOf();
    expect(lines[0]).toBe('hotel 1.0.0  http://127.0.0.1:3000/mcp');
    const [title, tool, resource, prompt] = lines.slice(3).map((line) => line.split(/ {2,}/));
    expect(title).toEqual(['SERVED', 'NAME', 'ARGUMENTS', 'SCOPES', 'TOKENS']);
    expect(tool).toEqual([
      'tool',
      'tool_0',
      'room* nights',
      'rooms:read rooms:write',
      expect.stringMatching(/^\d+$/),
    ]);
    expect(resource).toEqual(['resource', 'hotel://rooms']);
    expect(prompt).toEqual(['prompt', 'advise', 'topic* tone']);
  });

  test.each([
    [100, 30],
    [80, 24],
    [40, 10],
    [20, 3],
  ])('fits into %i columns and %i rows, with its keys at the end', (columns, rows) => {
    fill();
    const lines = linesOf(columns, rows);
    expect(lines).toHaveLength(rows);
    const width = (line: string): number => [...line].reduce((sum, one) => sum + (one > '\u2e80' ? 2 : 1), 0);
    expect(Math.max(...lines.map(width))).toBeLessThanOrEqual(columns);
    expect(lines[0]).toContain('hotel 1.0.0');
    expect(lines.at(-1)).toBe('q quit');
  });

  test('leaves room for every section, and says how much it does not show', () => {
    fill();
    const lines = linesOf(100, 40);
    for (const title of ['THE COMPILER FINDS', 'SERVED', 'ASKED', 'TASKS', 'ENDED', 'LOG'])
      expect(lines.filter((line) => line.startsWith(title))).toHaveLength(1);
    const from = lines.findIndex((line) => line.startsWith('SERVED'));
    const [, more = ''] = /^and (\d+) more$/m.exec(lines.slice(from).join('\n')) ?? [];
    expect(Number(more)).toBeGreaterThan(30);
    // Of a log, the end: its last line takes two rows.
    expect(lines.at(-4)).toMatch(/^line 59 /);
  });

  test('says how server, compiler and events stand', () => {
    expect(linesOf()[1]).toMatch(/^up · 1 start · 1 tool of about \d+ tokens$/);
    state.change({ compiler: { isCompiling: true, problems: [], isUnderstood: true } });
    expect(linesOf()[1]).toContain('up · compiling · 1 start');
    state.change({
      compiler: { isCompiling: false, problems: ['one', 'two'], isUnderstood: true },
      events: { isWatching: false, reason: 'it serves none' },
    });
    expect(linesOf()[1]).toMatch(/^up · 2 errors · 1 start · .* · no live calls: it serves none$/);
    state.change({ server: { status: 'failed', reason: 'it ended with exit code 1' } });
    expect(linesOf()[1]).toMatch(/^failed: it ended with exit code 1 · 2 errors/);
    view = { ...view, failure: ['the definitions are wrong'] };
    expect(linesOf().join('\n')).toContain('THE SERVER FAILS\nthe definitions are wrong');
  });

  test('has no line of a compiler that is understood in the log, and all of another one', () => {
    state.write('compiler', 'compiled 3 files');
    state.write('sigil', 'waiting');
    const logged = (): string[] => linesOf().slice(linesOf().indexOf('LOG') + 1);
    expect(logged().slice(0, 2)).toEqual(['compiled 3 files', 'sigil: waiting']);
    state.change({ compiler: { isCompiling: false, problems: [], isUnderstood: true } });
    expect(logged()[0]).toBe('sigil: waiting');
  });

  test('shows a long line of the log whole, in several rows', () => {
    const err = `handler failed err=${'x'.repeat(170)}`;
    state.write('server', 'before');
    state.write('server', err);
    const lines = linesOf();
    const at = lines.indexOf('LOG');
    expect(lines.slice(at + 1, at + 4)).toEqual(['before', err.slice(0, 100), err.slice(100)]);
  });

  test('shows a long problem of the compiler whole, also at the end of the panel of the log', () => {
    const problem = `src/a.ts(1,1): error TS2322: ${'y'.repeat(150)}`;
    state.write('server', 'before');
    state.change({ compiler: { isCompiling: false, problems: [problem], isUnderstood: true } });
    const lines = linesOf();
    const at = lines.indexOf('THE COMPILER FINDS');
    expect(lines.slice(at + 1, at + 3)).toEqual([problem.slice(0, 100), problem.slice(100)]);
    expect(panelRows(state, 100)).toEqual(['before', problem.slice(0, 100), problem.slice(100)]);
  });

  test('has no text that a terminal would obey', () => {
    const evil = 'a\u001b[2J\r\nb\u009bc';
    state.write('server', evil);
    state.change({ compiler: { isCompiling: false, problems: [evil], isUnderstood: true } });
    state.tell('call', { method: 'tools/call', name: evil, outcome: evil });
    view = { ...view, failure: [evil] };
    expect(linesOf().join('')).not.toMatch(/\p{C}/u);
  });

  test('folds a panel, and has colours where there are any', () => {
    view = { ...view, panel: ['x'.repeat(90)] };
    expect(linesOf(50, 10).slice(2, 4)).toEqual(['x'.repeat(50), 'x'.repeat(40)]);
    state.change({ server: { status: 'failed' } });
    const lines = devLines(view, { columns: 80, rows: 10, terminal: coloured });
    expect(lines[1]).toMatch(/^\u001b\[31mfailed.*\u001b\[39m$/);
  });
});
