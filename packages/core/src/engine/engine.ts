import { logDetails } from '../context/call.js';
import { METHODS, NAMED_BY, NOTIFICATIONS, type ServerCapabilities } from '../protocol/protocol.js';
import type { Implementation } from '../protocol/descriptors.js';
import type { Logger } from '../protocol/logging.js';
import type { ToolEntry } from '../registry/entry.js';
import type { Change } from '../registry/registry.js';
import { LogThrottle } from '../transport/log-throttle.js';
import type { ConnectOptions, Endpoint, Outlet, Peer } from '../transport/contract.js';
import { Quota } from '../transport/quota.js';
import { Asker } from './asking.js';
import type { ServerChange } from './changes/change-bus.js';
import { Capabilities } from './capabilities.js';
import type { EngineOptions } from './engine-options.js';
import { Events } from './events.js';
import type { TrackCall } from './exchange.js';
import type { ExtensionHost } from './extension.js';
import { Extensions } from './extensions.js';
import { Link } from './link.js';
import { LIST_CHANGED } from './list-changed.js';
import { Listeners } from './listeners.js';
import { allMethods } from './methods/index.js';
import { EnginePeer, type PeerParts, Places } from './peer.js';
import { QuestionCodec } from './question-codec.js';
import { Rechecks } from './rechecks.js';
import { ResponseWriter } from './response.js';
import { latestSessionRevision, newestRevision } from './revisions/index.js';
import { Subscribers } from './subscribers.js';
import { TimeLimits } from './time-limit.js';

/** How long requests may take to finish that no runtime has let finish: runtimes have a time of their own. */
const GRACE_MS = 1_500;

/** The protocol engine: makes peers for transports and tells them what changes. */
export class Engine implements Endpoint {
  readonly events: Events;
  readonly #peers = new Set<EnginePeer>();
  readonly #parts: PeerParts;
  readonly #listeners: Listeners;
  readonly #rechecks: Rechecks;
  readonly #extensions: Extensions;
  readonly #capabilities: Capabilities;
  readonly #told = new LogThrottle();
  readonly #stop: () => void;

  constructor(private readonly options: EngineOptions) {
    this.events = new Events(options.logger);
    const { maxSessionBytes } = options.limits;
    const sessionBytes = new Quota(maxSessionBytes, Math.ceil(maxSessionBytes / 16));
    const subscribers = new Subscribers(this.events, options.limits);
    const writer = new ResponseWriter(options.stampServerInfo ? options.info : undefined);
    this.#listeners = new Listeners(subscribers, options.limits);
    const asker = new Asker(new QuestionCodec(options.formPlan));
    this.#rechecks = new Rechecks({ options, asker }, subscribers, this.#listeners);
    const extensions = options.extensions.map((create) => create(this.#host()));
    this.#extensions = new Extensions(extensions, writer);
    this.#capabilities = new Capabilities(options.registry, this.#extensions, options.experimental);
    this.#parts = {
      options,
      methods: allMethods(
        options,
        subscribers,
        this.#listeners,
        this.#extensions,
        this.#capabilities,
        this.#rechecks,
        sessionBytes,
      ),
      events: this.events,
      subscribers,
      listeners: this.#listeners,
      sessionBytes,
      extensions: this.#extensions,
      asker,
      writer,
      namedBy: new Map([...NAMED_BY, ...this.#extensions.namedBy]),
      stateless: new Link(undefined),
      tracking: {},
      timeLimits: new TimeLimits(),
      noRoom: this.#noRoom,
      places: new Places(options.limits),
      warned: new Set(),
      closed: (peer) => this.#peers.delete(peer),
      releases: new Set(),
    };
    const { registry, changes } = options;
    this.#stop = registry.onChange((list) => changes.publish({ kind: 'list', list }));
    changes.onChange((change) => this.#announce(change));
  }

  get info(): Implementation {
    return this.options.info;
  }

  get logger(): Logger {
    return this.options.logger;
  }

  /** What clients of the newest revision are told that this server can do. */
  get capabilities(): ServerCapabilities {
    return this.#capabilities.of(newestRevision());
  }

  /** Whether an extension hides a tool from clients with sessions (up to 2025-11-25). */
  isHiddenFromSessions(tool: ToolEntry): boolean {
    return !this.#extensions.shows(latestSessionRevision(), tool);
  }

  /** @param track runs the handlers of calls from now on. */
  trackCalls(track: TrackCall): void {
    this.#parts.tracking.track = track;
  }

  connect(outlet?: Outlet, { shared = false }: ConnectOptions = {}): Peer {
    const peer = new EnginePeer(this.#parts, outlet, shared);
    this.#peers.add(peer);
    return peer;
  }

  /** Tells the clients that subscribed to a resource that it has changed, those of other processes too. */
  notifyResourceUpdated(uri: string): void {
    this.options.changes.publish({ kind: 'resource', uri });
  }

  /**
   * Tells the client whose user was sent to a page that the page has done its work.
   *
   * @returns whether that client is still there.
   */
  completeElicitation(elicitationId: string): boolean {
    const peer = [...this.#peers].find((candidate) => candidate.completeElicitation(elicitationId));
    peer?.notify(NOTIFICATIONS.elicitationComplete, { elicitationId });
    return peer !== undefined;
  }

  /**
   * Lets requests in flight finish, for a moment, then cancels what is left, forgets every session, and waits for what lived in
   * them to be disposed of.
   */
  async close(): Promise<void> {
    this.#stop();
    this.#rechecks.close();
    await Promise.all([...this.#peers].map((peer) => peer.drain(GRACE_MS)));
    await this.#extensions.close();
    await Promise.all([this.options.changes.close(), ...this.#parts.releases]);
  }

  #host(): ExtensionHost {
    const { registry, logger, changes, pageSize, cacheHints } = this.options;
    return {
      registry,
      logger,
      pageSize,
      listCache: cacheHints.of(METHODS.listResources),
      publish: (change) => changes.publish(change),
      onChange: (listener) => changes.onChange(listener),
      hasListener: (wanted) => this.#listeners.wants(wanted),
      notifyListeners: (method, params, wanted) => this.#listeners.notify(method, params, wanted),
    };
  }

  readonly #noRoom: PeerParts['noRoom'] = (call, { message }) => {
    if (!this.#told.allows(message)) return;
    this.options.logger.warn(
      { reason: message, ...logDetails(call) },
      'requests are refused: there is no room',
    );
  };

  #announce(change: ServerChange): void {
    if (change.kind === 'list') this.#announceList(change.list);
    else if (change.kind === 'resource') this.#announceResource(change.uri);
  }

  #announceList(list: Change): void {
    this.#listeners.listChanged(list);
    for (const peer of this.#peers) {
      if (peer.session?.announced[list]?.listChanged) peer.notify(LIST_CHANGED[list]);
    }
  }

  #announceResource(uri: string): void {
    this.#listeners.resourceUpdated(uri);
    for (const peer of this.#peers) {
      if (peer.session?.subscriptions?.has(uri)) peer.notify(NOTIFICATIONS.resourceUpdated, { uri });
    }
  }
}
