// The app that hostile messages are sent to: definitions that are guarded, slow, that ask, that fail, and that run as tasks.
import {
  createApp,
  defineCompletion,
  definePrompt,
  defineResource,
  defineTool,
  inputRequired,
  ask,
  ProtocolError,
  TaskSupport,
  ToolError,
} from '@sigil/core';
import { MemoryStateStore } from '@sigil/core/backend';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

const quiet = () => undefined;
const NAME_FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const TEXT = object({ text: { type: 'string' } });

const refuses = () => false;
const refusesLater = () => turn(false);
const rejectsLater = async () => {
  await turn();
  throw new Error('the guard broke down');
};
const allowsLater = () => turn(true);

/** What a call may be: each of these answers, fails or asks in a way of its own. */
const TOOLS = [
  { name: 'echo', input: TEXT, handle: ({ text }) => text },
  {
    name: 'add',
    input: object({ a: { type: 'number' }, b: { type: 'number', minimum: 0 } }),
    output: object({ sum: { type: 'number' } }),
    handle: ({ a, b }) => ({ sum: a + b }),
  },
  {
    name: 'nested',
    input: object({
      list: { type: 'array', items: object({ word: { type: 'string', pattern: '^(a+)+$' } }) },
      free: { type: 'object' },
    }),
    handle: ({ list }) => list.length,
  },
  { name: 'any', input: { type: 'object' }, handle: (args) => ({ kept: Object.keys(args).length }) },
  { name: 'large', handle: () => 'x'.repeat(20_000) },
  {
    name: 'slow',
    handle: async (_args, { signal }) => {
      await sleep(20, undefined, { signal });
      return 'done';
    },
  },
  {
    name: 'deaf',
    handle: async () => {
      await sleep(30);
      return 'heard nothing';
    },
  },
  {
    name: 'progress',
    handle: async (_args, context) => {
      for (let step = 1; step <= 3; step += 1) {
        context.progress(step, 3, 'on the way');
        context.log.info({ step });
        await turn();
      }
      return 'there';
    },
  },
  {
    name: 'ask',
    handle: async (_args, context) => {
      const { action, content } = await context.elicit('Your name?', NAME_FORM, { timeoutMs: 2_000 });
      return `${action} ${content?.name}`;
    },
  },
  {
    name: 'askTwice',
    handle: async (_args, context) => {
      const stamp = await context.once('stamp', () => turn(1));
      const first = await context.elicit('First?', NAME_FORM, { timeoutMs: 2_000 });
      const second = await context.elicit('Second?', NAME_FORM, { timeoutMs: 2_000 });
      return `${stamp} ${first.action} ${second.action}`;
    },
  },
  {
    name: 'round',
    handle: async (_args, context) => {
      const name = ask.form('Your name?', NAME_FORM);
      const answer = await context.inputResponse('name', name);
      return answer ? answer.action : inputRequired({ name });
    },
  },
  {
    name: 'floats',
    handle: (_args, context) => {
      void context.elicit('Not waited for', NAME_FORM, { timeoutMs: 50 });
      void context.once('beside', () => Promise.reject(new Error('not waited for')));
      return 'gone on';
    },
  },
  {
    name: 'fail',
    handle: () => {
      throw new Error('a secret');
    },
  },
  {
    name: 'refuse',
    handle: async () => {
      await turn();
      throw new ToolError('Not today');
    },
  },
  {
    name: 'protocol',
    handle: () => {
      throw new ProtocolError(-32000, 'As agreed', { why: 'agreed' });
    },
  },
  { name: 'bigInt', handle: () => ({ content: [], _meta: { size: 10n } }) },
  {
    name: 'cycle',
    handle: async () => {
      const cause = {};
      cause.cause = cause;
      throw new ProtocolError(-32000, 'Cannot be written', { cause });
    },
  },
  { name: 'passesOn', handle: (_args, { meta }) => ({ content: [], _meta: { ...meta, kept: meta } }) },
  { name: 'refused', input: TEXT, guards: [refuses], handle: () => 'never' },
  { name: 'refusedLater', input: TEXT, guards: [refusesLater], handle: () => 'never' },
  { name: 'rejectedLater', input: TEXT, guards: [rejectsLater], handle: () => 'never' },
  { name: 'allowedLater', input: TEXT, guards: [allowsLater], handle: ({ text }) => text },
  {
    name: 'task',
    metadata: TaskSupport.entry('optional'),
    handle: async (_args, { signal }) => {
      await sleep(20, undefined, { signal });
      return 'worked';
    },
  },
  {
    name: 'askingTask',
    metadata: TaskSupport.entry('optional'),
    handle: async (_args, context) =>
      (await context.elicit('Go on?', NAME_FORM, { timeoutMs: 1_000 })).action,
  },
  {
    name: 'failingTask',
    metadata: TaskSupport.entry('required'),
    handle: async () => {
      await turn();
      throw new Error('a secret');
    },
  },
];

const RESOURCES = [
  { uri: 'fuzz://fixed', name: 'fixed', handle: () => 'fixed text' },
  { uri: 'fuzz://clock', name: 'clock', handle: () => String(Date.now()) },
  { uri: 'fuzz://items/{id}', name: 'item', handle: ({ id }) => ({ id }) },
  { uri: 'fuzz://files/{+path}{?q,page}', name: 'file', handle: ({ path }) => String(path) },
  { uri: 'fuzz://secret/{id}', name: 'secret', guards: [refusesLater], handle: () => 'never' },
  { uri: 'fuzz://locked', name: 'locked', guards: [refusesLater], handle: () => 'never' },
  {
    uri: 'fuzz://slow/{id}',
    name: 'slow',
    handle: async ({ id }, { signal }) => sleep(10, String(id), { signal }),
  },
  {
    uri: 'fuzz://broken/{id}',
    name: 'broken',
    handle: () => {
      throw new Error('a secret');
    },
  },
];

const PROMPTS = [
  { name: 'greet', input: object({ name: { type: 'string' } }), handle: ({ name }) => `Hello, ${name}` },
  {
    name: 'guarded',
    input: object({ name: { type: 'string' } }),
    guards: [refusesLater],
    handle: () => 'never',
  },
  {
    name: 'brokenGuard',
    input: object({ name: { type: 'string' } }),
    guards: [rejectsLater],
    handle: () => 'never',
  },
  { name: 'slowPrompt', input: object({ name: { type: 'string' } }), handle: ({ name }) => sleep(10, name) },
];

const matching = (prefix) => ['ada', 'adam', 'eve'].filter((name) => name.startsWith(prefix));
const COMPLETIONS = [
  { ref: 'greet', argument: 'name', handle: matching },
  { ref: 'guarded', argument: 'name', guards: [refusesLater], handle: matching },
  { ref: 'brokenGuard', argument: 'name', handle: matching },
  { ref: 'slowPrompt', argument: 'name', handle: async (prefix) => sleep(10, matching(prefix)) },
  { ref: 'fuzz://items/{id}', argument: 'id', handle: matching },
  { ref: 'fuzz://secret/{id}', argument: 'id', guards: [refusesLater], handle: matching },
  {
    ref: 'fuzz://broken/{id}',
    argument: 'id',
    handle: () => {
      throw new Error('a secret');
    },
  },
];

/** What messages may name. */
export const NAMES = {
  tools: TOOLS.map(({ name }) => name),
  uris: RESOURCES.map(({ uri }) => uri.replace(/\{[^}]*\}/g, '7')),
  prompts: PROMPTS.map(({ name }) => name),
  completions: COMPLETIONS.map(({ ref, argument }) => ({ ref, argument })),
};

/** @param keepMs how long what clients leave behind is kept, in milliseconds. */
export function createHostileApp(keepMs) {
  return createApp({
    name: 'fuzz',
    version: '1.0.0',
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    warm: true,
    pageSize: 10,
    state: { ttlMs: keepMs, store: new MemoryStateStore() },
    tasks: { ttlMs: keepMs, pollIntervalMs: 20 },
    definitions: [
      ...TOOLS.map((tool) => defineTool(tool)),
      ...RESOURCES.map((resource) => defineResource(resource)),
      ...PROMPTS.map((prompt) => definePrompt(prompt)),
      ...COMPLETIONS.map((completion) => defineCompletion(completion)),
    ],
  });
}
