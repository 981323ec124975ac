import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import {
  DIALECT,
  fromDialect,
  resultFromDialect,
  toDialect,
} from '../../src/engine/revisions/message-dialect.js';
import { LOG_LEVELS } from '../../src/protocol/logging.js';
import type { Json } from '../harness.js';

type Message = readonly [method: string, params?: unknown];

/** A message of the dialect, and the same in the specification. */
const SAME: readonly (readonly [Message, Message])[] = [
  [['initialized'], ['notifications/initialized']],
  [
    ['$/cancelled', { id: 7, reason: 'no' }],
    ['notifications/cancelled', { requestId: 7, reason: 'no' }],
  ],
  [
    ['$/progress', { token: 't', value: { progress: 1, total: 4, message: 'first' } }],
    ['notifications/progress', { progressToken: 't', progress: 1, total: 4, message: 'first' }],
  ],
  [
    ['logging/set_level', { level: 'warn' }],
    ['logging/setLevel', { level: 'warning' }],
  ],
  [
    ['elicitation/request', { message: 'Who?' }],
    ['elicitation/create', { message: 'Who?' }],
  ],
];
const LOG: readonly [Message, Message] = [
  ['notifications/message', { level: 'warn', logger: 'part', message: 'text' }],
  ['notifications/message', { level: 'warning', logger: 'part', data: 'text' }],
];

const message = (role: string, content: unknown) => ({ role, content });
const said = (content: string) => ({ type: 'text', text: content });
const picture = { type: 'image', data: 'AA==', mimeType: 'image/png' };
const preferences = { hints: [{ name: 'small' }, { name: 'large' }], costPriority: 1 };

/** Only servers ask for messages, so their parameters are written and never read. */
const SAMPLING: readonly (readonly [Message, Message])[] = [
  [
    [
      'sampling/create_message',
      { message: 'Hi', maxTokens: 1, systemPrompt: 's', _meta: { progressToken: 1 } },
    ],
    [
      'sampling/createMessage',
      {
        messages: [message('user', said('Hi'))],
        maxTokens: 1,
        systemPrompt: 's',
        _meta: { progressToken: 1 },
      },
    ],
  ],
  [
    [
      'sampling/create_message',
      {
        message: 'And now?',
        context: [message('user', said('Hi')), message('assistant', picture)],
        modelHint: 'small',
        modelPreferences: preferences,
        maxTokens: 1,
      },
    ],
    [
      'sampling/createMessage',
      {
        messages: [
          message('user', said('Hi')),
          message('assistant', picture),
          message('user', [said('And now?')]),
        ],
        modelPreferences: preferences,
        maxTokens: 1,
      },
    ],
  ],
  [
    ['sampling/create_message', { message: message('assistant', said('Well,')), maxTokens: 1 }],
    ['sampling/createMessage', { messages: [message('assistant', said('Well,'))], maxTokens: 1 }],
  ],
  [
    ['sampling/create_message', { message: message('user', picture), maxTokens: 1 }],
    ['sampling/createMessage', { messages: [message('user', picture)], maxTokens: 1 }],
  ],
  [
    ['sampling/create_message', { message: message('user', [said('a'), said('b')]), maxTokens: 1 }],
    ['sampling/createMessage', { messages: [message('user', [said('a'), said('b')])], maxTokens: 1 }],
  ],
  [
    ['sampling/create_message', { message: '', maxTokens: 1 }],
    ['sampling/createMessage', { messages: [], maxTokens: 1 }],
  ],
];

const written = (method: string, params?: unknown): unknown =>
  toDialect({ ...{ jsonrpc: '2.0', id: 1 }, method, ...(params ? { params } : {}) });

describe('the table of the older dialect', () => {
  test('is tested row by row', () => {
    const tested = new Set([...SAME, ...SAMPLING, LOG].map(([[old]]) => old));
    expect([...tested].sort()).toEqual(DIALECT.map(({ old }) => old).sort());
  });

  test('is on the page about the dialect, row by row', async () => {
    const page = await readFile(new URL('../../../../docs/dialect.md', import.meta.url), 'utf8');
    const section = page.split('## Messages\n')[1]?.split('\n## ')[0] ?? '';
    const rows = section.matchAll(/^\| `(.+?)` +\| `(.+?)`/gm);
    expect([...rows].map(([, name, old]) => [name, old])).toEqual(
      DIALECT.map(({ name, old }) => [name, old]),
    );
  });

  test.each(SAME)('reads %j as %j', ([method, params], [name, meant]) => {
    expect(fromDialect(method, params)).toEqual({ method: name, params: meant });
  });

  test.each([...SAME, ...SAMPLING, LOG])('writes %j for %j', ([method, params], [name, meant]) => {
    expect(written(name, meant)).toEqual({ jsonrpc: '2.0', id: 1, method, ...(params ? { params } : {}) });
  });

  test('reads a log message, whose name gives no dialect away', () => {
    expect(fromDialect('notifications/message', LOG[0][1])).toBeUndefined();
    const row = DIALECT.find(({ old }) => old === 'notifications/message');
    expect(row?.read?.({ level: 'warn', logger: 'part', message: 'text' })).toEqual(LOG[1][1]);
  });

  test.each([
    ['error', 'error'],
    ['warn', 'warning'],
    ['info', 'info'],
    ['debug', 'debug'],
    ['trace', 'debug'],
    ['loud', 'loud'],
    [undefined, undefined],
  ])('reads the level %s as %s', (level, meant) => {
    expect(fromDialect('logging/set_level', { level })?.params).toEqual({ level: meant });
  });

  test('writes every severity as one of the five levels', () => {
    const levels = LOG_LEVELS.map((level) => written('notifications/message', { level, data: '' }));
    expect(levels.map((message) => (message as { params: { level: string } }).params.level)).toEqual([
      'debug',
      'info',
      'info',
      'warn',
      'error',
      'error',
      'error',
      'error',
    ]);
  });

  test.each([
    ['text', 'text'],
    [{ a: 1 }, '{"a":1}'],
    [null, 'null'],
    [7, '7'],
  ])('writes the data %j as the message %j', (data, message) => {
    expect(written('notifications/message', { level: 'info', data })).toMatchObject({
      params: { level: 'info', message },
    });
  });

  test.each<[object, object]>([
    [{ message: 'Paris' }, { role: 'assistant', content: said('Paris'), model: 'unknown' }],
    [
      { message: 'Paris', model: 'm', stopReason: 'endTurn' },
      { role: 'assistant', content: said('Paris'), model: 'm', stopReason: 'endTurn' },
    ],
    [
      { message: message('user', 'Paris'), model: 'm' },
      { role: 'user', content: said('Paris'), model: 'm' },
    ],
    [
      { message: { content: picture }, model: 'm' },
      { role: 'assistant', content: picture, model: 'm' },
    ],
    [
      { message: message('assistant', [picture]), model: 'm' },
      { role: 'assistant', content: [picture], model: 'm' },
    ],
  ])('reads the answer %j of a model as %j', (result, meant) => {
    expect(resultFromDialect('sampling/createMessage', result as Json)).toEqual(meant);
  });

  test.each([
    ['sampling/createMessage', { role: 'assistant', content: said('Paris'), model: 'm' }],
    ['sampling/createMessage', { message: 7 }],
    ['sampling/createMessage', { message: {} }],
    ['sampling/createMessage', {}],
    ['elicitation/create', { action: 'accept', content: { message: 'a' } }],
    ['roots/list', { roots: [] }],
  ])('leaves the result of %s as it is: %j', (method, result) => {
    expect(resultFromDialect(method, result)).toBe(result);
  });

  test('reads a value that is a mere number as progress', () => {
    expect(fromDialect('$/progress', { token: 1, value: 0.5 })?.params).toEqual({
      progressToken: 1,
      progress: 0.5,
    });
  });

  test.each([[undefined], [null], [[1]], ['x']])('leaves params %j as they are', (params) => {
    expect(fromDialect('$/cancelled', params)).toEqual({ method: 'notifications/cancelled', params });
  });

  test.each(['notifications/cancelled', 'tools/call', '__proto__', 'constructor', ''])(
    'does not know the name %j',
    (method) => expect(fromDialect(method, {})).toBeUndefined(),
  );

  test('leaves what has no row untouched', () => {
    for (const method of ['notifications/tools/list_changed', 'roots/list']) {
      const message = { jsonrpc: '2.0', method };
      expect(toDialect(message)).toBe(message);
    }
  });
});
