/// <reference lib="esnext.disposable" preserve="true" />
import {
  type App,
  type AppOptions,
  consoleLogger,
  createApp,
  type Logger,
  type Principal,
  type ServiceId,
} from '@sigil/core';
import { connect, type ConnectOptions } from './connect.js';
import type { TestClient } from './test-client.js';

/** One line of an app's log. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** The structured data of the log line, such as an error as `err`. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Options of `testApp`: the options of the app, all of them optional, and the options of its client. */
export interface TestAppOptions extends Partial<AppOptions> {
  /**
   * The principal of every message, as if a transport had authenticated it.
   *
   * @default `{ id: 'test' }` if `claims` is set; otherwise, messages have no principal
   */
  readonly principal?: Principal;
  /** Claims of the principal. */
  readonly claims?: Principal['claims'];
  /** How the client connects, such as `{ revision: '2025-11-25', onElicit }`. */
  readonly client?: ConnectOptions;
  /**
   * Receives the log lines of the app. The member `logs` of the `TestApp` also contains them.
   *
   * @default `consoleLogger`, which prints warnings and errors
   */
  readonly logger?: Logger;
}

/**
 * An app under test and a client that is connected to it. `testApp` creates it.
 *
 * @example
 * ```ts
 * await using server: TestApp = await testApp({ services: [Tickets], claims: { tenant: 'acme' } });
 * const tickets = await server.get(Tickets);
 * await using guest = await server.connect({ principal: { id: 'guest' } });
 * ```
 */
export class TestApp implements AsyncDisposable {
  readonly #clients: TestClient[];

  constructor(
    readonly app: App,
    /** The client that is connected from the start. */
    readonly client: TestClient,
    /** Everything that the app has logged, in order. */
    readonly logs: readonly LogLine[],
    private readonly options: ConnectOptions,
  ) {
    this.#clients = [client];
  }

  /** Returns a service of the app, as `app.get` does. */
  get<T>(id: ServiceId<T>): Promise<T> {
    return this.app.get(id);
  }

  /**
   * Connects another client, with the options of the first client. The method `close` closes all clients.
   *
   * @param options options for the new client that replace those of the first client, such as `principal`.
   */
  async connect(options: ConnectOptions = {}): Promise<TestClient> {
    const client = await connect(this.app, { ...this.options, ...options });
    this.#clients.push(client);
    return client;
  }

  /** Closes the clients, then the app and its services. */
  async close(): Promise<void> {
    for (const client of this.#clients.splice(0)) await client.close();
    await this.app.close();
  }

  /** Closes the app, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Creates an app and a client that is connected to it, in the same process. The option `override` replaces providers
 * and classes of the app and of its modules.
 *
 * @param options options of the app and of its client.
 * @returns the app with its client. The method `close()` closes both.
 * @throws the errors of `createApp` and `connect`. Nothing is left open after an error.
 * @example
 * ```ts
 * await using server = await testApp({
 *   modules: [helpdesk],
 *   override: [provide(Database, fakeDatabase)],
 *   principal: { id: 'ada', scopes: ['agent'] },
 * });
 * const result = await server.client.callTool('create_ticket', { title: 'Broken lamp' });
 * ```
 */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { principal, claims, client: connecting = {}, logger = consoleLogger, ...appOptions } = options;
  const logs: LogLine[] = [];
  const app = await createApp({
    name: 'test',
    version: '1.0.0',
    ...appOptions,
    logger: keepingLogger(logs, logger),
  });
  const connectOptions = { ...withPrincipal(principal, claims), ...connecting };
  try {
    return new TestApp(app, await connect(app, connectOptions), logs, connectOptions);
  } catch (error) {
    await app.close();
    throw error;
  }
}

function withPrincipal(
  principal: Principal | undefined,
  claims: Principal['claims'],
): Pick<ConnectOptions, 'principal'> {
  if (claims === undefined) return principal ? { principal } : {};
  return { principal: { id: 'test', ...principal, claims: { ...principal?.claims, ...claims } } };
}

function keepingLogger(logs: LogLine[], logger: Logger): Logger {
  const write =
    (level: LogLine['level']): Logger['info'] =>
    (details, message) => {
      logs.push(
        typeof details === 'string'
          ? { level, message: details, details: {} }
          : { level, message: message ?? '', details },
      );
      logger[level](details, message);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
