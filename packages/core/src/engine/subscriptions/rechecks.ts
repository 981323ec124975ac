import { listed, logDetails } from '../../context/call.js';
import type { MaybePromise } from '../../protocol/maybe-promise.js';
import { lacksScopes } from '../../protocol/principal.js';
import { unref } from '../../transport/deadlines.js';
import { type AdmittedRequest, type CallParts, EngineCall, NO_STREAM } from '../engine-call.js';
import type { ExchangeParts } from '../exchange.js';
import type { Session } from '../connection-state.js';
import { withoutSubscription } from '../session-state.js';
import type { Listener, Listeners, Subscribers } from './subscriptions.js';

/** Regularly runs the guards of subscribed resources again, and ends the subscriptions that guards now refuse. */
export class Rechecks {
  /** Checks in progress: a running check is not started again. */
  readonly #checking = new Set<object>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(
    private readonly parts: CallParts & Pick<ExchangeParts, 'release'>,
    private readonly subscribers: Subscribers,
    private readonly listeners: Listeners,
  ) {}

  /** Schedules the next checks, if none are scheduled. Called when a client subscribes. */
  begin(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => void this.#run(), this.parts.options.limits.recheckMs);
    unref(this.#timer);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    // Concurrently, so that a slow check does not delay the others. One per turn of the event loop, so that many checks
    // do not block it.
    for (const listener of this.listeners.all) {
      void this.#once(listener, () => this.#checkListener(listener));
      await turn();
      if (this.#closed) return;
    }
    for (const [session, request] of [...this.subscribers.sessions]) {
      void this.#once(session, () => this.#checkSession(session, request));
      await turn();
      if (this.#closed) return;
    }
    this.#timer = undefined;
    if (this.listeners.all.length > 0 || this.subscribers.sessions.size > 0) this.begin();
  }

  async #once(checked: object, check: () => Promise<void>): Promise<void> {
    if (this.#checking.has(checked)) return;
    this.#checking.add(checked);
    await check();
    this.#checking.delete(checked);
  }

  #checkListener({ call: opened, subscriptions, mayGoOn }: Listener): Promise<void> {
    return this.#anew(opened, async (call, failed) => {
      const checks = [...(subscriptions ?? [])].map(async (uri) => {
        if (!(await this.#allows(call, uri, failed)) && this.listeners.end(opened)) this.#report(call, uri);
      });
      await Promise.all(checks);
      const agrees = await agreed('extensions', failed, () => mayGoOn(call));
      if (!agrees && this.listeners.end(opened)) this.#report(call);
    });
  }

  #checkSession(session: Session, request: AdmittedRequest): Promise<void> {
    const requestInfo = { ...request.requestInfo, principal: session.principal };
    return this.#anew({ ...request, requestInfo }, async (call, failed) => {
      const checks = [...(session.subscriptions ?? [])].map(async (uri) => {
        if ((await this.#allows(call, uri, failed)) || !this.subscribers.drop(session, uri)) return;
        this.#report(call, uri);
        await request.connectionState.change(
          (state) => withoutSubscription(state, uri),
          () => undefined,
        );
      });
      await Promise.all(checks);
    });
  }

  /** Checks with a new call, so that the state of the original request does not affect the guards. */
  async #anew(
    request: AdmittedRequest,
    check: (call: EngineCall, failed: Failures) => Promise<void>,
  ): Promise<void> {
    const call = new EngineCall(this.parts, request, NO_STREAM);
    const failed: Failures = new Map();
    try {
      await call.track(() => check(call, failed));
    } catch (error) {
      failed.set('the subscription', error);
    }
    const [error] = failed.values();
    if (failed.size > 0)
      this.parts.options.logger.error(
        { err: error, about: listed([...failed.keys()]), ...logDetails(call) },
        'a subscription could not be checked; it continues',
      );
    call.over();
    if (call.isScope) this.parts.release(call);
  }

  /**
   * Whether guards allow a subscription to a resource. If no definition serves the resource any more, there
   * are no guards, and the subscription stays.
   */
  async #allows(call: EngineCall, uri: string, failed: Failures): Promise<boolean> {
    const found = this.parts.options.registry.resolveUri(uri);
    if (!found || this.#closed) return true;
    return agreed(uri, failed, async () => {
      const needed = await found.entry.hears(call, uri, found.variables);
      return needed !== undefined && !lacksScopes(call.principal, needed);
    });
  }

  #report(call: EngineCall, uri?: string): void {
    const about = uri === undefined ? logDetails(call) : { uri, ...logDetails(call) };
    this.parts.options.logger.info(about, 'a subscription has ended, because guards now refuse it');
  }
}

/** The failed checks, with their errors. */
type Failures = Map<string, unknown>;

/** Whether guards allow the subscription. If they fail, it continues until the next check. */
async function agreed(about: string, failed: Failures, ask: () => MaybePromise<boolean>): Promise<boolean> {
  try {
    return await ask();
  } catch (error) {
    failed.set(about, error);
    return true;
  }
}

/** Waits until other pending work has run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
