import { isObject } from '../../protocol/json.js';
import type { Logger } from '../../protocol/logging.js';
import { after, isPromise, type MaybePromise, recovered } from '../../protocol/maybe-promise.js';
import { NOTIFICATIONS } from '../../protocol/protocol.js';
import type { ChangeBus, ListKind, ServerChange } from '../../backend/change-bus.js';
import { isTaskStatus } from '../../backend/tasks.js';
import { within } from '../../transport/deadlines.js';
import { LogThrottle } from '../../transport/log-throttle.js';

/** How long closing waits for unsent messages of the bus, in milliseconds. */
const CLOSE_GRACE_MS = 1000;

/**
 * Sends and receives the changes of one app. All changes pass through the bus. If the bus fails, the clients
 * of this process still get the changes of this process.
 */
export class ChangeFeed {
  readonly #listeners = new Set<(change: ServerChange) => void>();
  #unsubscribe: (() => MaybePromise<void>) | undefined;
  /** Changes that the bus has not accepted yet. */
  readonly #underway = new Set<Promise<boolean>>();
  #closed = false;
  /** Whether other processes have missed a change. */
  #isMissed = false;
  readonly #told = new LogThrottle();

  #node: string | undefined;

  /**
   * @param isShared whether other processes can also use the bus. If so, the feed passes the name of this process to
   *   the bus.
   */
  constructor(
    private readonly bus: ChangeBus,
    private readonly logger: Logger,
    private readonly isShared: boolean = true,
  ) {}

  /**
   * The name of this process. Other processes address messages to this name. Created at first use, because Cloudflare
   * Workers cannot create random numbers before their first request.
   */
  get node(): string {
    return (this.#node ??= crypto.randomUUID().replaceAll('-', '').slice(0, 12));
  }

  /** Whether the feed receives changes from the bus. */
  get isHeard(): boolean {
    return this.#unsubscribe !== undefined;
  }

  /** Starts to listen to the bus. */
  async open(): Promise<void> {
    try {
      const receive = (change: ServerChange): void => this.#receive(change);
      this.#unsubscribe = await (this.isShared
        ? this.bus.subscribe(receive, this.node)
        : this.bus.subscribe(receive));
    } catch (error) {
      this.logger.error(
        { err: error },
        'the change bus cannot be read; this process does not receive changes from other processes',
      );
    }
  }

  /**
   * Publishes a change to all processes of this app. Never throws.
   *
   * @returns whether the bus has accepted the change.
   */
  publish(change: ServerChange): MaybePromise<boolean> {
    if (this.#closed) return false;
    // Without a subscription, nothing comes back from the bus.
    if (!this.#unsubscribe) this.#tell(change);
    const publish = (): MaybePromise<boolean> => after(this.bus.publish(change), () => this.#published());
    const published = recovered(publish, (error) => this.#unpublished(change, error));
    if (!isPromise(published)) return published;
    this.#underway.add(published);
    return published.finally(() => this.#underway.delete(published));
  }

  /**
   * Calls the listener for each change that arrives from any process of the app.
   *
   * @returns a function that removes the listener.
   */
  onChange(listener: (change: ServerChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stops publishing, waits a short time until the bus has accepted earlier changes, and then stops listening. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#underway.size > 0) await within(CLOSE_GRACE_MS, Promise.all(this.#underway));
    try {
      await this.#unsubscribe?.();
    } catch (error) {
      this.logger.error({ err: error }, 'the subscription to the change bus did not end cleanly');
    }
  }

  /**
   * Records that the bus works again, and notifies other processes that they have missed changes. @returns
   * true: the bus has accepted the change.
   */
  #published(): true {
    if (!this.#isMissed) return true;
    this.#isMissed = false;
    void this.publish({ kind: 'all' });
    return true;
  }

  /** Records that the bus has not accepted a change. @returns false. */
  #unpublished(change: ServerChange, error: unknown): false {
    if (change.kind !== 'message') this.#isMissed = true;
    const about = logDetails(change);
    if (this.#told.allows(`${about['kind']} ${about['about']}`))
      this.logger.error(
        { err: error, change: about },
        'a change could not be published; other processes do not receive it',
      );
    if (this.#unsubscribe) this.#tell(change);
    return false;
  }

  #receive(arrived: unknown): void {
    const change = readChange(arrived);
    if (change) this.#tell(change);
    else if (!this.#closed)
      this.logger.warn(
        { change: logDetails(arrived) },
        'an unknown or malformed change has arrived from the bus, and is ignored',
      );
  }

  #tell(change: ServerChange): void {
    if (this.#closed) return;
    if (change.kind === 'message' && change.to !== undefined && change.to !== this.node) return;
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.logger.error({ err: error, change: logDetails(change) }, 'a listener to changes failed');
      }
    }
  }
}

/**
 * Reads a message from the bus. Another process may have another version, so the message may have any form.
 *
 * @returns a change with only its own members; `undefined` for an unknown one.
 */
function readChange(value: unknown): ServerChange | undefined {
  if (!isObject(value)) return undefined;
  const { kind, list, uri, taskId, status, run, sessionId, stream, to, about, content } = value;
  const known = LISTS.find((one) => one === list);
  if (kind === 'list' && known) return { kind, list: known };
  if (kind === 'resource' && typeof uri === 'string') return { kind, uri };
  if (kind === 'task' && typeof taskId === 'string' && isTaskStatus(status))
    return { kind, taskId, status, run: typeof run === 'string' ? run : null };
  if (kind === 'claimable') return { kind };
  if (kind === 'session' && typeof sessionId === 'string') return { kind, sessionId };
  if (kind === 'stream' && typeof stream === 'string') return { kind, stream };
  if (kind === 'all') return { kind };
  if (kind === 'message' && typeof about === 'string' && isObject(content))
    return { kind, about, content, ...(typeof to === 'string' ? { to } : {}) };
  return undefined;
}

/** Returns the log fields of a change: no data from clients, and no ids, because an id may grant access. */
function logDetails(change: unknown): Readonly<Record<string, string | undefined>> {
  const { kind, about, to } = isObject(change) ? change : {};
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' ? value.slice(0, MOST_LOGGED) : undefined;
  return { kind: text(kind), about: text(about), to: text(to) };
}

/** Maximum length of text from another process in the log, in characters. */
const MOST_LOGGED = 100;

/** For each kind of list, the method of the notification that announces a change. */
export const LIST_CHANGED: Readonly<Record<ListKind, string>> = {
  tools: NOTIFICATIONS.toolsListChanged,
  prompts: NOTIFICATIONS.promptsListChanged,
  resources: NOTIFICATIONS.resourcesListChanged,
};

/** The kinds of lists. */
export const LISTS: readonly ListKind[] = ['tools', 'prompts', 'resources'];
