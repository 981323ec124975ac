// Messages as the protocol has them, in both eras.
import { META } from '@sigil/core/transport';
import { NAMES } from './app.mjs';

export const MODERN = '2026-07-28';
export const LEGACY = '2025-11-25';
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const TEXTS = [
  '',
  'a',
  'ada',
  'Grüße 🌍',
  '\u2028\u2029\u0000',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '%00%zz',
];

/** The member of `params` that the header `Mcp-Name` repeats, by method. */
export const NAMED_BY = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

export const initializeParams = (protocolVersion = LEGACY) => ({
  protocolVersion,
  capabilities: CAPABILITIES,
  clientInfo: { name: 'fuzz', version: '1.0.0' },
});

/** What a request of 2026-07-28 carries beside its parameters. */
export const envelope = (isTaskClient = false) => ({
  [META.protocolVersion]: MODERN,
  [META.clientCapabilities]: isTaskClient ? { ...CAPABILITIES, ...TASKS } : CAPABILITIES,
  [META.clientInfo]: { name: 'fuzz', version: '1.0.0' },
});

/** The answer of a client to what a server asks. */
export function answerTo(method, random) {
  if (method === 'elicitation/create') {
    const action = random.pick(['accept', 'accept', 'decline', 'cancel']);
    return action === 'accept' ? { action, content: { name: 'Ada' } } : { action };
  }
  if (method === 'roots/list') return { roots: [{ uri: 'file:///tmp', name: 'tmp' }] };
  if (method === 'sampling/createMessage')
    return { role: 'assistant', content: { type: 'text', text: 'well' }, model: 'm', stopReason: 'endTurn' };
  return {};
}

/** Writes valid messages of one era, with what it has learnt from answers. */
export class Grammar {
  #next = 1;
  #recent = [];
  /** Requests that the server wants to be sent again, with answers. */
  #rounds = [];
  #tasks = [];

  constructor(era, random) {
    this.era = era;
    this.random = random;
  }

  /** Takes up what a later message can refer to. */
  learn(result, request) {
    if (typeof result?.requestState === 'string' || result?.inputRequests)
      keep(this.#rounds, { request, result });
    if (typeof result?.taskId === 'string') keep(this.#tasks, result.taskId);
  }

  message() {
    const { random } = this;
    const kind = random.weighted([
      [80, 'request'],
      [8, 'notification'],
      [5, 'response'],
      [3, 'batch'],
    ]);
    if (kind !== 'batch') return this[kind]();
    const size = random.chance(0.05) ? 60 : random.whole(0, 8);
    return Array.from({ length: size }, () => (random.chance(0.8) ? this.request() : this.notification()));
  }

  /** A request that every server answers. */
  request(method = this.#method(), params = this.#params(method)) {
    const { random } = this;
    const number = this.#next++;
    const id = random.chance(0.5) ? number : `r-${number}`;
    keep(this.#recent, id);
    const again = method === 'tools/call' && this.#rounds.length > 0 && random.chance(0.2);
    const wanted = again ? this.#again() : params;
    const _meta = {
      ...(random.chance(0.3) ? { progressToken: id } : {}),
      ...(random.chance(0.05) ? { [META.logLevel]: random.pick(LEVELS) } : {}),
      ...(this.era === 'modern' ? envelope(random.chance(0.5)) : {}),
    };
    return { jsonrpc: '2.0', id, method: again ? 'tools/call' : method, params: { ...wanted, _meta } };
  }

  notification() {
    const { random } = this;
    const [method, params] = random.pick([
      ['notifications/initialized', {}],
      ['notifications/cancelled', { requestId: random.pick(this.#recent) ?? 0, reason: 'changed my mind' }],
      [
        'notifications/progress',
        { progressToken: random.pick(this.#recent) ?? 0, progress: random.whole(0, 9) },
      ],
      ['notifications/roots/list_changed', {}],
      ['notifications/unheard', { of: TEXTS }],
    ]);
    return { jsonrpc: '2.0', method, params };
  }

  response() {
    const { random } = this;
    const id = random.pick([0, 1, 'r-1', 'question-1', random.whole(0, 50)]);
    return random.chance(0.6)
      ? { jsonrpc: '2.0', id, result: answerTo('elicitation/create', random) }
      : { jsonrpc: '2.0', id, error: { code: -1, message: 'No' } };
  }

  /** The round a server waits for: the same request with its state and answers. */
  #again() {
    const { request, result } = this.random.pick(this.#rounds);
    const { _meta, ...params } = request?.params ?? {};
    const asked = Object.entries(result.inputRequests ?? {});
    const answers = asked.map(([key, { method }]) => [key, answerTo(method, this.random)]);
    return { ...params, requestState: result.requestState, inputResponses: Object.fromEntries(answers) };
  }

  #method() {
    const both = [
      [40, 'tools/call'],
      [4, 'tools/list'],
      [3, 'resources/list'],
      [2, 'resources/templates/list'],
      [10, 'resources/read'],
      [3, 'prompts/list'],
      [8, 'prompts/get'],
      [12, 'completion/complete'],
      [1, 'no/such'],
      [1, 'constructor'],
    ];
    const legacy = [
      [4, 'ping'],
      [2, 'logging/setLevel'],
      [3, 'resources/subscribe'],
      [2, 'resources/unsubscribe'],
      [0.3, 'initialize'],
    ];
    const modern = [
      [3, 'server/discover'],
      [1.5, 'subscriptions/listen'],
      [4, 'tasks/get'],
      [2, 'tasks/update'],
      [2, 'tasks/cancel'],
      [1, 'ping'],
    ];
    return this.random.weighted([...both, ...(this.era === 'legacy' ? legacy : modern)]);
  }

  #params(method) {
    const { random } = this;
    const text = random.pick(TEXTS);
    const taskId = random.pick(this.#tasks) ?? 'none';
    switch (method) {
      case 'tools/call':
        return { name: random.pick(NAMES.tools), arguments: this.#arguments() };
      case 'prompts/get':
        return { name: random.pick(NAMES.prompts), arguments: { name: text } };
      case 'resources/read':
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return { uri: random.pick(NAMES.uris) };
      case 'completion/complete': {
        const { ref, argument } = random.pick(NAMES.completions);
        const about = ref.includes('://')
          ? { type: 'ref/resource', uri: ref }
          : { type: 'ref/prompt', name: ref };
        return {
          ref: about,
          argument: { name: argument, value: text },
          context: { arguments: { other: text } },
        };
      }
      case 'logging/setLevel':
        return { level: random.pick(LEVELS) };
      case 'initialize':
        return initializeParams(
          random.pick(['2024-11-05', '2025-03-26', '2025-06-18', LEGACY, '1999-01-01']),
        );
      case 'subscriptions/listen':
        return {
          notifications: { toolsListChanged: true, resourceSubscriptions: [random.pick(NAMES.uris)] },
        };
      case 'tasks/get':
      case 'tasks/cancel':
        return { taskId };
      case 'tasks/update':
        return { taskId, inputResponses: { 'question-1': answerTo('elicitation/create', random) } };
      default:
        return random.chance(0.1) ? { cursor: text } : {};
    }
  }

  #arguments() {
    const { random } = this;
    return random.pick([
      { text: random.pick(TEXTS) },
      { a: random.whole(-9, 9), b: random.whole(0, 9) },
      { list: [{ word: 'aaa' }], free: {} },
      {},
    ]);
  }
}

function keep(list, item) {
  if (list.length >= 50) list.shift();
  list.push(item);
}
