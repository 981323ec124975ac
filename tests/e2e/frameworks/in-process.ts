import { type App } from '@sigil/core';
import { createContractApp, FORGETFUL_MOUNT, type Mount, MOUNTS } from './contract-app.js';
import type { Framework, Served } from './framework.js';

/** A framework that runs in this process, and how its users mount apps into it. */
export interface FrameworkHere {
  readonly name: string;
  /** Whether the framework can read a body without handing it on. */
  readonly readsBodies: boolean;
  readonly lacks?: Framework['lacks'];
  serve(app: App, mounts: readonly Mount[]): Promise<Served>;
}

/** Makes the app of a framework that runs in this process. */
export function inProcess({ name, readsBodies, lacks = {}, serve }: FrameworkHere): Framework {
  const errors: unknown[] = [];
  const quiet = (): void => undefined;
  const logger = {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (details: unknown) => void (isForeseen(details) || errors.push(details)),
  };
  return {
    name,
    lacks,
    readsBodies,
    errors,
    async serve() {
      const app = await createContractApp({ logger });
      const served = await serve(app, readsBodies ? [...MOUNTS, FORGETFUL_MOUNT] : MOUNTS);
      return {
        ...served,
        async close() {
          await served.close();
          await app.close();
        },
      };
    },
  };
}

/** What a tool of the app is there to throw. */
function isForeseen(details: unknown): boolean {
  return ((details as { err?: Error }).err?.message ?? '') === 'a secret';
}
