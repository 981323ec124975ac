import { type App, createApp, defineTool, type Logger } from '@sigil/core';
import { Holds } from './holds.js';

const quiet = (): void => undefined;
const SILENT: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const NAME_FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

/** An app with a tool for each thing a transport must carry. */
export interface Fixture {
  readonly app: App;
  readonly holds: Holds;
}

export async function createFixture(logger: Logger = SILENT): Promise<Fixture> {
  const holds = new Holds();
  const app = await createApp({
    name: 'contract',
    version: '1.0.0',
    logger,
    definitions: [
      defineTool({
        name: 'echo',
        input: { type: 'object', properties: { text: { type: 'string' } } },
        handle: ({ text }) => String(text),
      }),
      defineTool({
        name: 'count',
        handle: async (_args, context) => {
          for (let step = 1; step <= 5; step++) {
            context.progress(step, 5, `step ${step}`);
            await Promise.resolve();
          }
          return 'counted';
        },
      }),
      defineTool({
        name: 'hold',
        input: { type: 'object', properties: { early: { type: 'boolean' } } },
        handle: async ({ early }, context) => {
          if (early === true) context.progress(0);
          await holds.hold(context.signal);
          context.progress(1);
          return 'held';
        },
      }),
      defineTool({
        name: 'ask',
        handle: async (_args, context) => {
          const { action, content } = await context.elicit('Your name?', NAME_FORM);
          return action === 'accept' ? `Hello, ${String(content?.['name'])}` : action;
        },
      }),
      defineTool({
        name: 'fail',
        handle: () => {
          throw new Error('a secret');
        },
      }),
    ],
  });
  return { app, holds };
}
