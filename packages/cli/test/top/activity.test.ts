import { describe, expect, test } from '@jest/globals';
import { Activity } from '../../src/top/activity.js';
import { eventLine, screenLines } from '../../src/top/lines.js';

const plain = { out: () => undefined, err: () => undefined, hasColours: false };
const coloured = { ...plain, hasColours: true };
const TIME = '2026-11-20T09:12:44.031Z';

function call(name: string, more: object = {}) {
  return { time: TIME, id: 'a', method: 'tools/call', name, outcome: 'ok', ms: 1, bytes: 10, ...more };
}

/** What has happened after as many calls as there are, at the times that are given. */
function after(calls: readonly (readonly [at: number, call: object])[]): Activity {
  const activity = new Activity(0);
  for (const [at, one] of calls) activity.add('call', { ...one }, at);
  return activity;
}

describe('the activity of a server', () => {
  test('has rates and times by tool, those with most calls first', () => {
    const times = Array.from({ length: 20 }, (_, at) => [0, call('search', { ms: 20 - at })] as const);
    const activity = after([
      ...times,
      [0, call('fail', { outcome: 'isError', ms: 5 })],
      [0, call('fail', { outcome: 'refused', refusedBy: 'rate', ms: 900 })],
      [0, call('fail', { outcome: 'cancelled', ms: 7 })],
    ]);
    expect(activity.rates(10_000)).toEqual({
      all: { about: 'all', perSecond: 2.3, errors: 1, refused: 1, p50: 9, p95: 19 },
      each: [
        { about: 'search', perSecond: 2, errors: 0, refused: 0, p50: 10, p95: 19 },
        { about: 'fail', perSecond: 0.3, errors: 1, refused: 1, p50: 5, p95: 7 },
      ],
    });
  });

  test('looks a minute back, and no further than it was watched', () => {
    const activity = after([
      [1_000, call('early')],
      [59_000, call('late')],
    ]);
    expect(activity.rates(60_000).each.map(({ about }) => about)).toEqual(['early', 'late']);
    expect(activity.rates(61_500).each).toMatchObject([{ about: 'late', perSecond: 1 / 60 }]);
    expect(activity.rates(200_000)).toMatchObject({ all: { perSecond: 0, p50: undefined }, each: [] });
    expect(activity.calls).toHaveLength(2);
  });

  test('keeps as many calls as it needs, and goes by the time that these took', () => {
    const activity = after(Array.from({ length: 30_000 }, (_, at) => [at, call('busy')] as const));
    expect(activity.calls).toHaveLength(200);
    expect(activity.rates(30_000).all.perSecond).toBeCloseTo(1_000);
  });

  test('counts tasks apart, and what is no tool or prompt by its method', () => {
    const { calls } = after([
      [0, call('export', { taskId: 't1' })],
      [0, { method: 'prompts/get', name: 'greet' }],
      [0, { method: 'resources/read', name: 'note://1' }],
      [0, { method: 'tools/call' }],
    ]);
    expect(calls.map(({ about }) => about)).toEqual([
      'tools/call',
      'resources/read',
      'greet',
      'export (task)',
    ]);
  });

  test('has questions while they are open, and tasks as they stand', () => {
    const activity = new Activity(0);
    const question = (id: string, status: string) =>
      activity.add(
        'question',
        { time: TIME, id, method: 'tools/call', name: 'send', asks: 'elicitation/create', status },
        0,
      );
    const task = (id: string, status: string, ms: number) =>
      activity.add('task', { time: TIME, id, tool: 'report', status, ms }, 0);
    question('a/1', 'open');
    const asked = question('a/2', 'open');
    const answered = question('a/1', 'answered');
    expect([...activity.questions.values()]).toMatchObject([{ about: 'send', asks: 'elicitation' }]);
    task('t1', 'working', 0);
    task('t2', 'working', 0);
    const ended = task('t1', 'completed', 1_500);
    expect([...activity.tasks.values()].map(({ id, status }) => `${id} ${status}`)).toEqual([
      't2 working',
      't1 completed',
    ]);
    const lines = [asked, answered, ended].map((event) => event && eventLine(plain, event).slice(8));
    expect(lines).toEqual([
      '  question  open  elicitation  send',
      '  question  answered  elicitation  send',
      '  task  completed  report  t1  1500 ms',
    ]);
    activity.forgetOpen();
    expect([activity.questions.size, activity.tasks.size]).toEqual([0, 0]);
  });

  test('has texts that a terminal can be given, whatever clients and servers say', () => {
    const activity = new Activity(0);
    const evil = 'a\u001b[2J\r\nb\u202ec\u009bd';
    const told = [
      activity.add(
        'call',
        { method: 'tools/call', name: evil, principal: evil, client: evil, outcome: evil },
        0,
      ),
      activity.add('refused', { by: evil, reason: evil, address: evil, status: 'x' }, 0),
      activity.add('question', { id: evil, method: evil, asks: evil, status: 'open', client: evil }, 0),
      activity.add('task', { id: evil, tool: evil, status: evil, ms: 'x' }, 0),
    ];
    activity.add('state', { running: [{ method: evil, principal: evil }, 7], pid: evil }, 0);
    const lines = [
      ...told.map((event) => (event ? eventLine(plain, event) : '')),
      ...screenLines(activity, {
        url: 'u',
        lostBy: undefined,
        columns: 80,
        rows: 40,
        terminal: plain,
        now: 1,
      }),
    ];
    expect(lines.join('')).toContain('a [2J b c d');
    expect(lines.join('')).not.toMatch(/\p{C}/u);
  });
});

describe('the screen of a server', () => {
  const parts = { url: 'http://127.0.0.1:3000/events', lostBy: undefined, now: 10_000 };

  function busy(): Activity {
    const activity = after(
      Array.from({ length: 60 }, (_, at) => [0, call(`tool-${at}-${'x'.repeat(80)}`)] as const),
    );
    const running = Array.from({ length: 20 }, () => ({ since: TIME, method: 'tools/call', name: 'slow' }));
    activity.add('state', { pid: 42, startedAt: TIME, sessions: 1, calls: 20, tasks: 2, running }, 0);
    for (let told = 0; told < 20; told += 1) {
      activity.add(
        'question',
        { time: TIME, id: `${told}`, name: 'ask', asks: 'roots/list', status: 'open' },
        0,
      );
      activity.add('task', { time: TIME, id: `task ${told}`, tool: 'report', status: 'working' }, 0);
      activity.add('refused', { time: TIME, by: 'token', status: 401, reason: 'The token is not valid' }, 0);
    }
    return activity;
  }

  test.each([
    [80, 24],
    [40, 12],
    [200, 60],
  ])('fits into %i columns and %i rows', (columns, rows) => {
    const lines = screenLines(busy(), { ...parts, columns, rows, terminal: plain });
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines[0]).toContain('http://127.0.0.1:3000/events');
    expect(lines[1]).toContain('6.0 calls/s, 0 errors');
  });

  test('shows rates, what runs, what was refused and what has ended', () => {
    const lines = screenLines(busy(), { ...parts, columns: 120, rows: 40, terminal: plain });
    expect(lines[0]).toMatch(/ {2}pid 42, up [\d:]+$/);
    expect(lines[1]).toMatch(/1 session, 20 calls and 2 tasks running$/);
    for (const title of ['CALLS/S', 'RUNNING', 'ASKED', 'TASKS', 'REFUSED', 'ENDED'])
      expect(lines.filter((line) => line.startsWith(title))).toHaveLength(1);
    expect(lines).toContainEqual(expect.stringMatching(/401 {5}token .* The token is not valid$/));
  });

  test('has colours where there are any', () => {
    const activity = after([[0, call('fail', { outcome: 'error', code: -32603 })]]);
    const shown = { ...parts, columns: 80, rows: 24 };
    const [red] = screenLines(activity, { ...shown, terminal: coloured }).slice(-1);
    expect(red).toMatch(/^\u001b\[31m.*error: -32603.*\u001b\[39m$/);
    const [none] = screenLines(activity, { ...shown, terminal: plain }).slice(-1);
    expect(none).not.toContain('\u001b');
  });

  test('says why there is no connection', () => {
    const lines = screenLines(busy(), {
      ...parts,
      lostBy: 'connects again',
      columns: 80,
      rows: 24,
      terminal: plain,
    });
    expect(lines[0]).toBe('http://127.0.0.1:3000/events  connects again');
  });
});
