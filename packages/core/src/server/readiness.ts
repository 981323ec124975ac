import type { ChangeFeed } from '../engine/subscriptions/changes.js';
import type { RequestStateCodec } from '../engine/asking/request-state-codec.js';
import { OverloadedError, ReadOnlyError } from '../errors/errors.js';
import type { Logger } from '../protocol/logging.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import { Deadlines } from '../transport/deadlines.js';
import { LogThrottle } from '../transport/log-throttle.js';
import { PendingAnswers } from '../transport/pending-answers.js';
import type { PartCheck, ReadinessReport } from '../transport/transport.js';

/** Maximum time of a part's check, in milliseconds. */
const CHECK_MS = 2_000;
/**
 * How often a process announces its keys and its version, and how long the announcement is valid, in
 * milliseconds.
 */
const HELLO_MS = { every: 10_000, remembered: 120_000 };
/** Maximum number of processes whose announcements are stored. */
const MOST_NODES = 1_000;

/** The subjects of messages about readiness between processes. */
const ABOUT = { echo: 'readiness/echo', hello: 'readiness/hello', bye: 'readiness/bye' };

/** The parts of an app's readiness check. */
interface ReadinessParts {
  readonly version: string;
  readonly logger: Logger;
  readonly codec: RequestStateCodec;
  readonly changes: ChangeFeed;
  /** Whether other processes receive the changes of this process. */
  readonly isShared: boolean;
  /** Checks the store of the backend; absent if there is none. */
  readonly store: (() => MaybePromise<void>) | undefined;
  /** The checks of extensions, by part: `tasks`, unless they are kept in this process. */
  readonly extensions: () => Readonly<Record<string, () => MaybePromise<PartCheck>>>;
}

/** The state of another process, from its last announcement. */
interface OtherNode {
  readonly version: string;
  readonly keys: readonly string[];
  readonly heardAt: number;
}

/**
 * Checks whether the parts that requests need are available: the store of the backend, the change bus, and stores of
 * extensions, such as the task store. To test the bus, the process sends a message to itself. Over the bus, each
 * process also announces its version and the fingerprints of its `state.keys`. If these differ between processes, a
 * warning is logged, but the process remains ready.
 */
export class Readiness {
  readonly #times = new Deadlines(CHECK_MS);
  readonly #told = new LogThrottle();
  readonly #echoes = new PendingAnswers<string, void>();
  readonly #others = new Map<string, OtherNode>();
  #saidAt = -Infinity;
  #hasLeft = false;

  constructor(private readonly parts: ReadinessParts) {
    const { changes, isShared } = parts;
    if (!isShared) return;
    changes.onChange((change) => {
      if (change.kind !== 'message') return;
      const { about, content } = change;
      if (about === ABOUT.echo) this.#echoes.settle(content['id'], undefined);
      else if (about === ABOUT.hello && content['node'] !== changes.node) void this.#meet(content);
      else if (about === ABOUT.bye) this.#others.delete(String(content['node']));
    });
  }

  /** Returns, after at most two seconds, whether each part is available. The promise never rejects. */
  async check(): Promise<ReadinessReport> {
    const { store, extensions, isShared } = this.parts;
    const asked = { store, bus: isShared ? () => this.#echo() : undefined, ...extensions() };
    const answers = Object.entries(asked).map(async ([part, ask]): Promise<[string, PartCheck][]> =>
      ask ? [[part, await this.#ask(part, ask)]] : [],
    );
    if (isShared) await this.#sayHello();
    const checks = Object.fromEntries((await Promise.all(answers)).flat());
    const isReady = Object.values(checks).every((check) => check === 'ok');
    return { isReady, checks: isShared ? { ...checks, ...(await this.#compare()) } : checks };
  }

  /**
   * Announces that this process is about to end, so that other processes no longer compare their version and keys with
   * those of this process.
   */
  leave(): void {
    this.#hasLeft = true;
    const { changes } = this.parts;
    if (this.#saidAt > -Infinity)
      void changes.publish({ kind: 'message', about: ABOUT.bye, content: { node: changes.node } });
  }

  async #ask(part: string, ask: () => MaybePromise<PartCheck | void>): Promise<PartCheck> {
    try {
      return (await this.#times.within(Promise.resolve().then(ask), late)) ?? 'ok';
    } catch (error) {
      const why = reasonOf(error);
      if (this.#told.allows(part))
        this.parts.logger.error({ part, err: error }, `the server is not ready: the part ${part} ${why}`);
      return why;
    }
  }

  /** Sends a message to this process, and waits for it. */
  async #echo(): Promise<void> {
    const { changes } = this.parts;
    if (!changes.isHeard) throw new Error('The change bus cannot be heard');
    const id = crypto.randomUUID();
    const deadline = this.#times.add(() => this.#echoes.fail(id, late()));
    const heard = this.#echoes.wait(id, () => this.#times.delete(deadline));
    const echo = { kind: 'message', to: changes.node, about: ABOUT.echo, content: { id } } as const;
    // A message that cannot be published still reaches this process.
    const [isTold] = await Promise.all([changes.publish(echo), heard]);
    if (!isTold) throw new Error('The change bus takes no messages');
  }

  async #sayHello(): Promise<void> {
    const now = performance.now();
    if (now - this.#saidAt < HELLO_MS.every) return;
    this.#saidAt = now;
    const { changes, version } = this.parts;
    const content = { node: changes.node, version, keys: await this.parts.codec.fingerprints() };
    if (this.#hasLeft) return;
    void changes.publish({ kind: 'message', about: ABOUT.hello, content });
  }

  /** Stores the announcement of another process. It may come from another version, so its form is checked. */
  async #meet({ node, version, keys }: Readonly<Record<string, unknown>>): Promise<void> {
    if (typeof node !== 'string' || typeof version !== 'string' || !isTexts(keys)) return;
    this.#others.delete(node);
    this.#others.set(node, { version, keys, heardAt: performance.now() });
    if (this.#others.size > MOST_NODES) this.#others.delete(String(this.#others.keys().next().value));
    // A worker that only runs tasks has no readiness checks, but must be known too.
    await this.#sayHello();
    await this.#compare();
  }

  /** Compares this process with others whose announcement is valid, and logs those that differ. */
  async #compare(): Promise<Readonly<Record<'keys' | 'version', PartCheck>>> {
    const { version, codec, logger } = this.parts;
    const keys = await codec.fingerprints();
    const now = performance.now();
    for (const [node, { heardAt }] of this.#others) {
      if (now - heardAt <= HELLO_MS.remembered) break;
      this.#others.delete(node);
    }
    const others = [...this.#others];
    const strange = others.filter(([, other]) => !canRead(keys, other.keys) || !canRead(other.keys, keys));
    const differing = others.filter(([, other]) => other.version !== version);
    if (strange.length > 0 && this.#told.allows('keys'))
      logger.warn(
        { nodes: strange.map(([node]) => node), node: this.parts.changes.node },
        "the processes of this app have different state.keys, so they cannot read each other's data",
      );
    if (differing.length > 0 && this.#told.allows('version'))
      logger.warn(
        { versions: [...new Set(differing.map(([, other]) => other.version))], version },
        'other processes serve another version of this app',
      );
    return { keys: strange.length > 0 ? 'differ' : 'ok', version: differing.length > 0 ? 'differs' : 'ok' };
  }
}

function reasonOf(error: unknown): PartCheck {
  if (error instanceof OverloadedError) return 'is full';
  return error instanceof ReadOnlyError ? 'can only be read' : 'does not answer';
}

function late(): Error {
  return new Error(`It did not answer within ${CHECK_MS} ms`);
}

/**
 * Whether one of our keys reads the data of another process, which is encrypted with the first of its keys.
 */
function canRead(keys: readonly string[], others: readonly string[]): boolean {
  const [sealing] = others;
  return sealing === undefined || keys.length === 0 || keys.includes(sealing);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
