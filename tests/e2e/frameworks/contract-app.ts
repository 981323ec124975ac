import { oauth } from '@sigil/auth';
import { type App, createApp, defineTool, type Logger } from '@sigil/core';
import type { HttpOptions } from '@sigil/http';

/** One of the places where a server has the app, and how it is served there. */
export interface Mount {
  readonly path: string;
  readonly options: HttpOptions;
  /** What stands beside it, at the root. */
  readonly documents: readonly string[];
  /** Whether the framework reads the body of a request, and hands nothing of it on. */
  readonly forgetsBody?: boolean;
}

/** Whether a request is for one of the paths that a server gives to a mount, with a slash at its end or without. */
export function isAmong(paths: readonly string[], target = ''): boolean {
  return paths.includes(target.replace(/\?.*$/s, '').replace(/\/$/, ''));
}

const ISSUER = 'https://id.example.com';
export const RESOURCE = 'https://mcp.example.com/protected/mcp';
export const METADATA = '/.well-known/oauth-protected-resource/protected/mcp';
export const OPEN = '/api/mcp';
export const BOUNDED = '/api/bounded/mcp';
export const PROTECTED = '/protected/mcp';
export const FORGETFUL = '/api/forgetful/mcp';

/** What every server has. */
export const MOUNTS: readonly Mount[] = [
  // Workers find out that a client is gone when they send something.
  { path: OPEN, options: { streams: { keepAliveMs: 300 } }, documents: [] },
  { path: BOUNDED, options: { limits: { maxBodyBytes: 2_000 } }, documents: [] },
  {
    path: PROTECTED,
    options: {
      authorization: oauth({
        resource: RESOURCE,
        issuers: [ISSUER],
        tokens: (token) =>
          token === 'of-ada' ? { iss: ISSUER, sub: 'ada', aud: RESOURCE, exp: 4_000_000_000 } : undefined,
      }),
    },
    documents: [METADATA],
  },
];

/** Beside them, where a framework can read a body without handing it on. */
export const FORGETFUL_MOUNT: Mount = { path: FORGETFUL, options: {}, documents: [], forgetsBody: true };

/** What a call is at that only ends when it is cancelled. */
type Held = 'not called' | 'held' | 'cancelled';

const NAME_FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const STEP_MS = 500;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What an app may be told. */
export interface ContractAppOptions {
  readonly logger?: Logger;
  /** What `hello` says. */
  readonly greeting?: string;
}

/** An app with a tool for each thing a server must carry. What it does is told by tools alone, so it may run anywhere. */
export function createContractApp({ logger, greeting = 'Hello' }: ContractAppOptions = {}): Promise<App> {
  let held: Held = 'not called';
  const hold = (early: boolean) =>
    defineTool({
      name: early ? 'hold_early' : 'hold',
      description: 'Waits until it is cancelled',
      handle: async (_args, context) => {
        if (early) context.progress(0);
        held = 'held';
        // A promise that another request settles would not do on Workers.
        for (let step = 0; step < 1_000 && !context.signal.aborted; step++) await sleep(10);
        held = context.signal.aborted ? 'cancelled' : 'not called';
        return 'held';
      },
    });
  return createApp({
    name: 'contract',
    version: '1.0.0',
    // A request may come to another instance than the one before it.
    state: { keys: ['not a secret, since it is for tests alone: 0123456789'] },
    ...(logger ? { logger } : {}),
    definitions: [
      defineTool({
        name: 'echo',
        description: 'Says what it is told',
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        handle: ({ text }) => String(text),
      }),
      defineTool({ name: 'hello', description: 'Says hello', handle: () => greeting }),
      defineTool({
        name: 'count',
        description: 'Counts to five',
        handle: async (_args, context) => {
          for (let step = 1; step <= 5; step++) {
            context.progress(step, 5, `step ${step}`);
            await sleep(1);
          }
          return 'counted';
        },
      }),
      defineTool({
        name: 'take_long',
        description: 'Says at once that it takes long',
        handle: async (_args, context) => {
          context.progress(0);
          await sleep(STEP_MS);
          return 'done';
        },
      }),
      hold(false),
      hold(true),
      defineTool({ name: 'held', description: 'Tells what became of what waits', handle: () => held }),
      defineTool({
        name: 'ask',
        description: 'Asks for a name',
        handle: async (_args, context) => {
          const { action, content } = await context.elicit('Your name?', NAME_FORM);
          return action === 'accept' ? `Hello, ${String(content?.['name'])}` : action;
        },
      }),
      defineTool({
        name: 'fail',
        description: 'Fails',
        handle: () => {
          throw new Error('a secret');
        },
      }),
    ],
  });
}
