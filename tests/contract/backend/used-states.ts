import { afterEach, describe, expect, test } from '@jest/globals';
import { type App, createApp, defineTool } from '@sigil/core';
import type { BackendFactory } from '@sigil/core/backend';
import { connectInMemory, META } from '@sigil/core/transport';

const FORM = { type: 'object', properties: {} };
const ENVELOPE = {
  [META.protocolVersion]: '2026-07-28',
  [META.clientCapabilities]: { elicitation: {} },
  [META.clientInfo]: { name: 'tester', version: '0' },
};

/** What an answer has that is looked at here. */
interface Answer {
  readonly result?: { readonly requestState?: unknown };
  readonly error?: { readonly code: number };
}

/** Nodes of apps whose tool `pay` asks before it pays; they end with the test. */
export class PayingApps {
  /** The apps that have paid. */
  readonly paid: string[] = [];
  readonly #apps: App[] = [];

  /** @param backend of every node. */
  constructor(private readonly backend: () => BackendFactory) {
    afterEach(async () => {
      for (const app of this.#apps.splice(0)) await app.close();
      this.paid.length = 0;
    });
  }

  /** Starts a node. All have the same keys. */
  async node(name = 'shop'): Promise<App> {
    const pay = defineTool({
      name: 'pay',
      handle: async (_args, context) => {
        await context.elicit('Pay?', FORM);
        this.paid.push(name);
        return 'paid';
      },
    });
    const app = await createApp({
      name,
      version: '1.0.0',
      definitions: [pay],
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      state: { keys: ['k'.repeat(32)] },
      backend: this.backend(),
    });
    this.#apps.push(app);
    return app;
  }

  /** Calls the tool. @returns the state that its client is to bring back. */
  async asked(app: App): Promise<unknown> {
    return (await this.#call(app, {})).result?.requestState;
  }

  /** Brings a state back, with the answer. @returns the code of the error it is refused with, if it is. */
  async answered(app: App, requestState: unknown): Promise<number | undefined> {
    const inputResponses = { 'question-1': { action: 'accept', content: {} } };
    return (await this.#call(app, { requestState, inputResponses })).error?.code;
  }

  #call(app: App, more: object): Promise<Answer> {
    const params = { name: 'pay', ...more, _meta: ENVELOPE };
    return new Promise((resolve) => {
      const connection = connectInMemory(app.endpoint, (message) => resolve(message as Answer));
      connection.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    });
  }
}

/** What must hold of the states that clients bring back, whatever the processes of an app share. */
export function describeUsedStates(name: string, backend: () => BackendFactory): void {
  describe(`a state that was used, on ${name}`, () => {
    const apps = new PayingApps(backend);

    test('is refused by all but one of 40 at the same time', async () => {
      const nodes = [await apps.node(), await apps.node()] as const;
      const state = await apps.asked(nodes[0]);
      const uses = Array.from({ length: 40 }, (_, at) => apps.answered(nodes[at % 2 ? 1 : 0], state));
      const outcomes = await Promise.all(uses);
      expect(outcomes.filter((code) => code === undefined)).toHaveLength(1);
      expect(outcomes.filter((code) => code === -32602)).toHaveLength(39);
      expect(apps.paid).toEqual(['shop']);
    });

    test('is refused by another app with the same keys, and taken by its own', async () => {
      const [shop, stock] = [await apps.node('shop'), await apps.node('stock')];
      const state = await apps.asked(shop);
      expect(await apps.answered(stock, state)).toBe(-32602);
      expect(await apps.answered(shop, state)).toBeUndefined();
      expect(apps.paid).toEqual(['shop']);
    });
  });
}
