/*
 * The path of a test's call: `connect` makes a `TestClient`, which tests use. Its `Caller` turns a call into as many
 * requests as the revision and the server need. The `Wire` sends them and matches the responses. `answers.ts` answers
 * the server's requests, and the `NotificationLog` keeps its notifications.
 */

import type { App, Principal, RequestInfo } from '@sigil/core';
import type { ClientCapabilities, Implementation, ProtocolVersion } from '@sigil/core/protocol';
import { LATEST_VERSION, METHODS, NOTIFICATIONS, REVISION_FEATURES } from '@sigil/core/transport';
import { type Answers, createAnswerer } from './answers.js';
import { Caller, type Identity, withTasks } from './caller.js';
import { type ReceivedNotification, NotificationLog } from './notification-log.js';
import { type ServerDetails, TestClient } from './test-client.js';
import { Wire } from './wire.js';

/** Options of a client's connection and identity. */
export interface ConnectOptions extends Answers {
  /** The protocol revision to use. @default the newest */
  readonly revision?: ProtocolVersion;
  /**
   * The capabilities that the client declares.
   *
   * @default the capabilities that the options can answer: for example, `onElicit` declares `elicitation`
   */
  readonly capabilities?: ClientCapabilities;
  /**
   * Whether to declare the extension `io.modelcontextprotocol/tasks` (only in revision 2026-07-28). If a call becomes a
   * task, the client answers the task's input requests and waits until the task ends. So `callTool` returns the result
   * as usual.
   */
  readonly tasks?: boolean;
  /** The client's name and version. @default `sigil-testing` */
  readonly clientInfo?: Implementation;
  /**
   * HTTP headers that the app sees with every message, as if the message had arrived over HTTP. The case of header
   * names is ignored.
   */
  readonly headers?: RequestInfo['headers'];
  /** The principal of every message, as if a transport had authenticated it. */
  readonly principal?: Principal;
  /** Called with every notification. `client.notifications` also contains all notifications. */
  readonly onNotification?: (notification: ReceivedNotification) => void;
  /** Maximum time to wait for the answer to a request, in milliseconds; `Infinity` for no limit. @default 10,000 */
  readonly timeoutMs?: number;
}

const CLIENT: Implementation = { name: 'sigil-testing', version: '0.1.0' };
const TIMEOUT_MS = 10_000;

/**
 * Connects a test client to an app in the same process, without a port or a child process. The messages are the same as
 * on other transports.
 *
 * @param app the result of `createApp`. The app keeps running when the client is closed.
 * @param options the revision, capabilities, answers, headers and principal of the client.
 * @returns a client that is ready to send requests. In revisions with sessions, it has already sent `initialize`.
 * @throws ProtocolError when the server refuses the session.
 * @throws Error when the server does not support the revision.
 * @example
 * ```ts
 * await using client = await connect(app, { revision: '2025-11-25' });
 * const tools = await client.listTools();
 * ```
 */
export async function connect(app: Pick<App, 'endpoint'>, options: ConnectOptions = {}): Promise<TestClient> {
  const { revision = LATEST_VERSION, clientInfo = CLIENT, timeoutMs = TIMEOUT_MS } = options;
  const answer = createAnswerer(options);
  const log = new NotificationLog();
  const notified = (notification: (typeof log.entries)[number]): void => {
    log.add(notification);
    caller.report(notification);
    options.onNotification?.(notification);
  };
  const wire = new Wire(app.endpoint, requestInfoOf(options), { answer, notified });
  const capabilities = options.capabilities ?? capabilitiesOf(options, revision);
  const identity = {
    revision,
    clientInfo,
    capabilities: options.tasks ? withTasks(capabilities) : capabilities,
  };
  const caller: Caller = new Caller(wire, identity, answer, timeoutMs, options.tasks ?? false);
  const server = REVISION_FEATURES[revision].sessions ? await initialize(wire, caller, identity) : undefined;
  return new TestClient({ revision, server, wire, caller, log, timeoutMs });
}

function requestInfoOf({ headers, principal }: ConnectOptions): RequestInfo {
  const lowered = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...(headers ? { headers: Object.fromEntries(lowered) } : {}),
    ...(principal ? { principal } : {}),
  };
}

/** Returns the capabilities of a client with these answers, in the form of a revision. */
function capabilitiesOf(answers: Answers, revision: ProtocolVersion): ClientCapabilities {
  const { elicitation, samplingTools } = REVISION_FEATURES[revision];
  // Before modes were introduced, the empty capability meant forms.
  const modes = elicitation.url ? { form: {}, url: {} } : {};
  return {
    ...(answers.onElicit && elicitation.form ? { elicitation: modes } : {}),
    ...(answers.onSample ? { sampling: samplingTools ? { tools: {} } : {} } : {}),
    ...(answers.roots ? { roots: {} } : {}),
  };
}

/**
 * Opens a session, as revisions 2025-11-25 and earlier require.
 *
 * @returns the server's description of itself.
 * @throws ProtocolError when the server refuses; Error when it answers with a revision other than the requested one.
 */
async function initialize(wire: Wire, caller: Caller, identity: Identity): Promise<ServerDetails> {
  const { revision: protocolVersion, capabilities, clientInfo } = identity;
  try {
    const params = { protocolVersion, capabilities, clientInfo };
    const answer = await caller.call(METHODS.initialize, params);
    const server = answer as typeof answer & ServerDetails;
    if (server.protocolVersion !== protocolVersion) {
      throw new Error(`The server answered ${protocolVersion} with ${server.protocolVersion}`);
    }
    wire.notify(NOTIFICATIONS.initialized);
    return server;
  } catch (error) {
    await wire.close(new Error('The session could not be opened', { cause: error }));
    throw error;
  }
}
