import type { Served } from '../../../src/dev/dev-loop.js';
import type { OutputLine } from '../../../src/dev/dev-state.js';
import { isObject, type JsonObject } from '../../../src/json.js';
import type { ShownLogin } from '../../../src/page/logins.js';
import type { Exchange } from '../../../src/page/trace.js';
import { type McpClient, messageOf, REVISIONS, type Revision, resultOf } from '../mcp/messages.js';
import { listAll, textOf } from '../mcp/messages.js';
import type { ServerEvent } from '../mcp/event-stream.js';
import { SessionClient } from '../mcp/session-client.js';
import { pause, StatelessClient, Undiscovered } from '../mcp/stateless-client.js';
import { type Api, TokenRefused } from './api.js';
import { Runs } from './runs.js';
import { type Kept, keptOf, stateWith } from './kept.js';
import { type Entry, goneFrom, type Kind, KINDS } from './state.js';
import type { ServerState, State, TypedArguments } from './state.js';
import { appended, Store } from './store.js';

const ENDED = 'sigil dev has ended';
const AGAIN_MS = 1000;
const MOST_EXCHANGES = 500;
const MOST_HAPPENINGS = 200;
const MOST_LINES = 500;

/** The kinds of events about calls of all clients, as the server sends them. */
const HAPPENINGS = ['call', 'refused', 'question', 'task'];

/** Connects the page with the command and the server: handles events and the developer's actions. */
export class Page {
  readonly store: Store;
  readonly runs: Runs;
  readonly #clients = new Map<Revision, McpClient>();
  /** The typed arguments, by the URL fragment of each definition. */
  readonly #typed: Map<string, TypedArguments>;

  /** @param fragment the fragment of the URL, which contains the selection from before a reload. */
  constructor(
    readonly api: Api,
    fragment = '',
  ) {
    const kept = (api.takeKept() ?? {}) as Partial<Kept>;
    const { runs = [], typed = [] } = kept;
    this.#typed = new Map(typed);
    this.store = new Store(stateWith(kept));
    this.runs = new Runs(this.store, (revision) => this.#clientOf(revision));
    const selected = selectedIn(fragment);
    const isKnown = selected?.kind !== 'task' || runs.some(({ taskId }) => taskId === selected.key);
    if (isKnown) this.store.update({ selected });
    this.runs.resume(runs);
    addEventListener('pagehide', () => this.#leave());
  }

  /** Stores the state for a reload, and cancels the running calls. */
  #leave(): void {
    const kept = keptOf(this.store.state, [...this.#typed]);
    for (const { cancel } of this.store.state.runs) cancel();
    this.#closeClients();
    this.api.keep(kept);
  }

  /**
   * Reads the events of the command until the page is closed, or until a newly started command refuses the page's
   * token.
   */
  async start(): Promise<void> {
    const never = new AbortController().signal;
    for (;;) {
      try {
        const exchanges = await this.api.json<Exchange[]>('/api/exchanges');
        // The stream begins with all lines and calls.
        this.store.update({ exchanges, output: [], calls: [] });
        for await (const event of this.api.events(never)) this.#hear(event);
        this.store.update({ isConnected: false, lost: ENDED });
      } catch (error) {
        // A browser gives no reason why nothing answers.
        const lost = error instanceof TypeError ? ENDED : messageOf(error);
        this.store.update({ isConnected: false, lost });
        if (error instanceof TokenRefused) return this.#closeClients();
      }
      await pause(AGAIN_MS);
    }
  }

  #hear({ event, data }: ServerEvent): void {
    if (data === '') return;
    const told: unknown = JSON.parse(data);
    if (event === 'state') this.#heardState(told as ServerState);
    else if (event === 'served') this.#heardServed();
    else if (event === 'exchange') this.#heardExchange(told as Exchange);
    else if (event === 'output') this.#heardOutput(told as OutputLine[]);
    else if (event === 'login') this.#heardLogin(told as ShownLogin);
    else if (HAPPENINGS.includes(event) && isObject(told)) {
      const one = { id: this.store.nextId(), at: timeOf(told), kind: event, data: told };
      this.store.update(({ calls }) => ({ calls: appended(calls, one, MOST_HAPPENINGS) }));
    }
  }

  #heardState(server: ServerState): void {
    const before = this.store.state;
    this.store.update({ server, isConnected: true });
    const isUp = server.server.status === 'up';
    const wasUp = before.isConnected && before.server.server.status === 'up';
    if ((wasUp && !isUp) || server.starts !== before.server.starts) this.runs.serverEnded();
    if (isUp && (!wasUp || server.starts !== before.server.starts)) void this.reconnect(true);
  }

  #heardExchange(exchange: Exchange): void {
    this.store.update(({ exchanges }) => {
      const index = exchanges.findLastIndex(({ id }) => id === exchange.id);
      return {
        exchanges:
          index === -1 ? appended(exchanges, exchange, MOST_EXCHANGES) : exchanges.with(index, exchange),
      };
    });
  }

  #heardOutput(lines: readonly OutputLine[]): void {
    this.store.update(({ output }) => ({ output: [...output, ...lines].slice(-MOST_LINES) }));
  }

  #heardLogin(login: ShownLogin): void {
    const before = this.store.state.logins.find(({ id }) => id === login.id);
    this.store.update(({ logins }) => ({ logins: [...logins.filter(({ id }) => id !== login.id), login] }));
    // After a login, requests use it.
    if (login.status === 'done' && before?.status === 'open') this.useLogin(login.id);
  }

  #heardServed(): void {
    const { login, logins } = this.store.state;
    // The stream begins with all logins: this one has been forgotten.
    if (login !== undefined && !logins.some(({ id }) => id === login)) this.useLogin(undefined);
    void this.#loadServed();
  }

  async #loadServed(): Promise<void> {
    try {
      this.store.update({ served: await this.api.json<Served>('/api/served') });
    } catch {
      // The state says why the program does not start.
    }
  }

  /** Connects to the server again: after a restart of the server, or as another user. */
  async reconnect(isRestart = false): Promise<void> {
    // Another user, or the first list, is no change of the server.
    const compares = isRestart && this.store.state.identity !== undefined;
    this.#closeClients();
    try {
      const client = await this.#connect();
      const offered = this.store.state.identity?.capabilities ?? {};
      await Promise.all([
        'tools' in offered && this.#loadList('tool', client, compares),
        'resources' in offered && this.#loadList('resource', client, compares),
        'resources' in offered && this.#loadList('template', client, compares),
        'prompts' in offered && this.#loadList('prompt', client, compares),
      ]);
      this.store.update({ listError: undefined, hasLists: true });
      await client.listen(this.store.state.subscriptions);
    } catch (error) {
      this.store.update({ listError: messageOf(error), hasLists: false });
    }
  }

  /** Connects to the server. If the server does not support requests without a session, opens a session. */
  async #connect(): Promise<McpClient> {
    const client = this.#clientOf(this.revisions[0] ?? '2026-07-28');
    try {
      this.store.update({ identity: await client.connect(), notice: undefined });
      return client;
    } catch (error) {
      if (!(error instanceof Undiscovered)) throw error;
      const older = this.#clientOf('2025-11-25');
      const identity = await older.connect().catch(() => Promise.reject(error));
      const { protocolVersion } = identity;
      const notice = `The server does not support revision 2026-07-28 (server/discover: ${error.message}). The page uses revision ${protocolVersion} instead.`;
      this.store.update({ identity, mode: '2025-11-25', notice });
      return older;
    }
  }

  #closeClients(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  async #loadList(kind: Kind, client: McpClient, compares = true): Promise<void> {
    const list = await listAll(client, KINDS[kind].method, KINDS[kind].member);
    if (compares) this.#compare(kind, list);
    const { selected, lists } = this.store.state;
    const gone = selected?.kind === kind && goneFrom(kind, selected.key, lists[kind], list);
    if (gone) this.store.update({ gone });
    this.store.update(({ lists }) => ({ lists: { ...lists, [kind]: list } }));
  }

  /** Records which definitions in a list are new, changed or removed. */
  #compare(kind: Kind, list: readonly JsonObject[]): void {
    const byKey = (all: readonly JsonObject[]): Map<string, string> =>
      new Map(all.map((one) => [String(one[KINDS[kind].key]), JSON.stringify(one)]));
    const [before, now] = [byKey(this.store.state.lists[kind]), byKey(list)];
    for (const key of new Set([...now.keys(), ...before.keys()])) {
      const verb = !before.has(key) ? 'added' : !now.has(key) ? 'removed' : 'changed';
      if (before.get(key) !== now.get(key)) this.#tellChange(`${kind} ${verb}`, { message: key });
    }
  }

  #tellChange(kind: string, data: JsonObject): void {
    const one = { id: this.store.nextId(), at: new Date(), kind, data };
    this.store.update(({ changes }) => ({ changes: appended(changes, one, MOST_HAPPENINGS) }));
  }

  /** The protocol revisions of the selected mode. The page sends each call once in each of these revisions. */
  get revisions(): readonly Revision[] {
    const { mode } = this.store.state;
    return mode === 'both' ? REVISIONS : [mode];
  }

  #clientOf(revision: Revision): McpClient {
    const found = this.#clients.get(revision);
    if (found) return found;
    const { login } = this.store.state;
    const Client = revision === '2026-07-28' ? StatelessClient : SessionClient;
    const client = new Client({
      send: (init) => {
        const headers = {
          ...(init.headers as object),
          ...(login === undefined ? {} : { 'x-sigil-login': login }),
        };
        return this.api.fetch('/api/mcp', { ...init, headers });
      },
      ask: (question) => this.runs.ask(question),
      onNotification: (method, params) => this.#notified(method, params, client),
    });
    this.#clients.set(revision, client);
    return client;
  }

  #notified(method: string, params: JsonObject, client: McpClient): void {
    if (method === 'notifications/message') {
      const kind = textOf(params['level']) ?? 'info';
      const one = { id: this.store.nextId(), at: new Date(), kind, data: params };
      return this.store.update(({ logs }) => ({ logs: appended(logs, one, MOST_HAPPENINGS) }));
    }
    // It lists the notifications of the subscription.
    if (method === 'notifications/subscriptions/acknowledged') return;
    this.#tellChange(method, params);
    const [, list] = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method) ?? [];
    const kinds = { tools: ['tool'], prompts: ['prompt'], resources: ['resource', 'template'] } as const;
    for (const kind of list === undefined ? [] : kinds[list as keyof typeof kinds])
      this.#loadList(kind, client).catch(() => undefined);
  }

  setMode(mode: State['mode']): void {
    this.store.update({ mode });
    void this.reconnect();
  }

  select(selected: State['selected']): void {
    this.store.update({ selected });
    if (selected) history.replaceState(null, '', `#${fragmentOf(selected)}`);
  }

  /** Returns the initial arguments of a form: those that were typed or sent last. */
  argumentsOf(selected: Selected): TypedArguments | undefined {
    const { kind, key } = selected;
    const last = this.store.state.runs.findLast(({ entry }) => entry.kind === kind && entry.key === key);
    const sent = last?.params['arguments'];
    return this.#typed.get(fragmentOf(selected)) ?? (sent === undefined ? undefined : { value: sent });
  }

  /** Stores the arguments in a form. */
  keepArguments({ kind, key }: Selected, typed: TypedArguments): void {
    this.#typed.set(fragmentOf({ kind, key }), typed);
  }

  send(entry: Pick<Entry, 'kind' | 'key' | 'descriptor'>, method: string, params: JsonObject): void {
    this.runs.start(entry, method, params, this.revisions);
  }

  /** Sends a request that is not shown as a run. @throws Error if the server refuses the request. */
  async request(method: string, params: JsonObject): Promise<JsonObject> {
    return resultOf(await this.#clientOf(this.revisions[0] ?? '2026-07-28').request(method, params));
  }

  /** Subscribes to changes of a resource, or unsubscribes. */
  async subscribe(uri: string, isWanted: boolean): Promise<void> {
    const others = this.store.state.subscriptions.filter((one) => one !== uri);
    const subscriptions = isWanted ? [...others, uri] : others;
    this.store.update({ subscriptions });
    await this.#clientOf(this.revisions[0] ?? '2026-07-28').listen(subscriptions);
  }

  useLogin(id: string | undefined): void {
    this.store.update({ login: id });
    void this.reconnect();
  }

  /**
   * Starts a login. @returns the URL of the authorization server's login page. @throws Error if the login cannot be
   * started, for example because the server requires no login.
   */
  async logIn(scopes: readonly string[]): Promise<string> {
    const asked = scopes.length > 0 ? { scopes } : {};
    return (await this.api.json<{ authorizeUrl: string }>('/api/logins', asked)).authorizeUrl;
  }

  async logOut(id: string): Promise<void> {
    await this.api.json(`/api/logins/${id}`, undefined, 'DELETE').catch(() => undefined);
    this.store.update(({ logins }) => ({ logins: logins.filter((one) => one.id !== id) }));
    if (this.store.state.login === id) this.useLogin(undefined);
  }
}

type Selected = NonNullable<State['selected']>;

/** Returns the URL fragment for a selection. */
export function fragmentOf({ kind, key }: Selected): string {
  return `${kind}/${encodeURIComponent(key)}`;
}

/** Returns the selection in a URL fragment. */
export function selectedIn(fragment: string): Selected | undefined {
  const [, kind = '', key = ''] = /^#?(\w+)\/(.+)$/.exec(fragment) ?? [];
  if (kind !== 'task' && !isKind(kind)) return undefined;
  try {
    return { kind, key: decodeURIComponent(key) };
  } catch {
    return undefined;
  }
}

function isKind(text: string): text is Kind {
  return Object.hasOwn(KINDS, text);
}

function timeOf({ time }: JsonObject): Date {
  const date = new Date(String(time));
  return Number.isNaN(date.getTime()) ? new Date() : date;
}
