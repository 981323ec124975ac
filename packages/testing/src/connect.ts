import type { App, Implementation, RequestFacts } from '@sigil/core';
import { LATEST_VERSION } from '@sigil/core/transport';
import { createAnswerer } from './answerer.js';
import { Caller } from './caller.js';
import { capabilitiesOf } from './client-capabilities.js';
import type { ConnectOptions } from './connect-options.js';
import { initialize } from './initialize.js';
import { NotificationLog } from './notification-log.js';
import { withTasks } from './follow-task.js';
import { isStateless } from './revisions.js';
import { TestClient } from './test-client.js';
import { Wire } from './wire.js';

const CLIENT: Implementation = { name: 'sigil-testing', version: '0.1.0' };
const TIMEOUT_MS = 10_000;

/**
 * Connects a client to an app within the process: no port, no child process, but the protocol as on any wire.
 *
 * @param app what `createApp` made. Closing the client leaves it running.
 * @returns a client that may call at once; revisions with sessions have been through `initialize`.
 * @throws ProtocolError when the server refuses the session; Error when it does not speak the revision.
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
  const wire = new Wire(app.endpoint, factsOf(options), { answer, notified });
  const capabilities = options.capabilities ?? capabilitiesOf(options, revision);
  const identity = {
    revision,
    clientInfo,
    capabilities: options.tasks ? withTasks(capabilities) : capabilities,
  };
  const caller: Caller = new Caller(wire, identity, answer, timeoutMs, options.tasks ?? false);
  const server = isStateless(revision) ? undefined : await initialize(wire, caller, identity);
  return new TestClient({ revision, server, wire, caller, log, timeoutMs });
}

function factsOf({ headers, principal }: ConnectOptions): RequestFacts {
  const lowered = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...(headers ? { headers: Object.fromEntries(lowered) } : {}),
    ...(principal ? { principal } : {}),
  };
}
