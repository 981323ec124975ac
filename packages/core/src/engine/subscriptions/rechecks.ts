import { logDetails } from '../../context/call.js';
import type { MaybePromise } from '../../protocol/maybe-promise.js';
import { lacksScopes } from '../../protocol/principal.js';
import { unref } from '../../transport/deadlines.js';
import { type AdmittedRequest, type CallParts, EngineCall, NO_STREAM } from '../engine-call.js';
import type { ExchangeParts } from '../exchange.js';
import type { Session } from '../connection-state.js';
import { withoutSubscription } from '../session-state.js';
import type { Listener, Listeners, Subscribers } from './subscriptions.js';

/** Asks guards again about what subscriptions hear of, for as long as there are any. What is refused now ends. */
export class Rechecks {
  /** What is being checked: a check that has not come to its end is not begun again. */
  readonly #checking = new Set<object>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(
    private readonly parts: CallParts & Pick<ExchangeParts, 'release'>,
    private readonly subscribers: Subscribers,
    private readonly listeners: Listeners,
  ) {}

  /** Takes note that there is a subscription. */
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
    // Side by side, so that what hangs delays no others; one a turn, so that many hold up nothing else.
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
    return this.#anew(opened, async (call) => {
      const checks = [...(subscriptions ?? [])].map(async (uri) => {
        if (!(await this.#allows(call, uri)) && this.listeners.end(opened)) this.#report(call, uri);
      });
      await Promise.all(checks);
      const agrees = await this.#agrees({}, call, () => mayGoOn(call));
      if (!agrees && this.listeners.end(opened)) this.#report(call);
    });
  }

  #checkSession(session: Session, request: AdmittedRequest): Promise<void> {
    const requestInfo = { ...request.requestInfo, principal: session.principal };
    return this.#anew({ ...request, requestInfo }, async (call) => {
      const checks = [...(session.subscriptions ?? [])].map(async (uri) => {
        if ((await this.#allows(call, uri)) || !this.subscribers.drop(session, uri)) return;
        this.#report(call, uri);
        await request.connectionState.change(
          (state) => withoutSubscription(state, uri),
          () => undefined,
        );
      });
      await Promise.all(checks);
    });
  }

  /** Checks with a call of its own: what guards have put into the state of the request is not what they are asked for. */
  async #anew(request: AdmittedRequest, check: (call: EngineCall) => Promise<void>): Promise<void> {
    const call = new EngineCall(this.parts, request, NO_STREAM);
    try {
      await call.track(() => check(call));
    } catch (error) {
      this.parts.options.logger.error({ err: error }, 'a subscription could not be checked');
    }
    call.over();
    if (call.isScope) this.parts.release(call);
  }

  /** What is served no more has no guards that could refuse it. */
  async #allows(call: EngineCall, uri: string): Promise<boolean> {
    const found = this.parts.options.registry.resolveUri(uri);
    if (!found || this.#closed) return true;
    return this.#agrees({ uri }, call, async () => {
      const needed = await found.entry.hears(call, uri, found.variables);
      return needed !== undefined && !lacksScopes(call.principal, needed);
    });
  }

  /** Whether guards agree. Those that fail, which they do when they take too long, refuse. */
  async #agrees(about: object, call: EngineCall, ask: () => MaybePromise<boolean>): Promise<boolean> {
    try {
      return await ask();
    } catch (error) {
      this.parts.options.logger.error(
        { err: error, ...about, ...logDetails(call) },
        'a guard of a subscription failed; access is refused',
      );
      return false;
    }
  }

  #report(call: EngineCall, uri?: string): void {
    const about = uri === undefined ? logDetails(call) : { uri, ...logDetails(call) };
    this.parts.options.logger.info(about, 'a subscription has ended: guards refuse it now');
  }
}

/** Lets other work go first. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
