import type { CallEvent, Observer, Observers } from '../engine/observers.js';
import { isObject } from '../protocol/json.js';
import { METHODS } from '../protocol/protocol.js';
import type { Logger } from '../protocol/logging.js';
import type { LogOptions } from './app-options.js';
import { diagnosticsChannel } from './platform.js';

/** Number of characters of a session id in the log: enough to identify the session, but not to use it. */
const SHOWN_OF_SESSION = 12;

/**
 * Adds an app's built-in observers: the log of calls, if it is enabled, and the diagnostics channels of the
 * platform.
 */
export function addBuiltInObservers(
  observers: Observers,
  logger: Logger,
  { calls = false, slowMs = 2000 }: LogOptions = {},
): void {
  if (calls) observers.add(callLog(logger, calls, slowMs));
  const channels = diagnosticsChannels();
  if (channels) observers.add(channels);
}

function callLog(logger: Logger, level: 'debug' | 'info', slowMs: number): Observer {
  const log = (event: CallEvent): void => {
    // Tasks and subscriptions take as long as they take.
    const isWaitedFor = !event.task && event.method !== METHODS.listen;
    if (isWaitedFor && event.ms > slowMs) logger.warn(detailsOf(event), 'a call was slow');
    else logger[level](detailsOf(event), 'call');
  };
  const observation = { ended: log };
  return { callStarted: () => observation, callRefused: log };
}

/** Publishes events on channels of `node:diagnostics_channel`, for tools that do not depend on Sigil. */
function diagnosticsChannels(): Observer | undefined {
  const [call, refused, session, store, task] = CHANNELS.map(diagnosticsChannel);
  if (!call || !refused || !session || !store || !task) return undefined;
  // The server's request object has credentials, and any tool in the process may listen.
  const ended = ({ source: _source, ...event }: CallEvent): void => call.publish(event);
  return {
    get isActive() {
      // Read at each call, so it makes no list.
      const hasOne = call.hasSubscribers || refused.hasSubscribers || session.hasSubscribers;
      return hasOne || store.hasSubscribers || task.hasSubscribers;
    },
    callStarted: () => ({ ended }),
    callRefused: ended,
    refused: (event) => refused.publish(event),
    taskAborted: ({ source: _source, ...event }) => task.publish(event),
    sessionEnded: (event) => session.publish(event),
    storeAsked: (event) => store.publish(event),
  };
}

const CHANNELS = ['sigil:call', 'sigil:refused', 'sigil:session', 'sigil:store', 'sigil:task'];

/** Maximum length of a reason in the log, in characters. */
const MAX_REASON_LENGTH = 200;

/**
 * Returns why a call failed, as one line of text; `undefined` if it succeeded. The text is what the client
 * got, and may repeat its data.
 */
function reasonOf({ outcome, error, result }: CallEvent): string | undefined {
  if (outcome !== 'isError' && outcome !== 'error') return undefined;
  const text = error?.message ?? textOf(result()?.['content']);
  const line = text
    ?.slice(0, 4 * MAX_REASON_LENGTH)
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  if (line === undefined || line === '') return undefined;
  return line.length > MAX_REASON_LENGTH ? `${line.slice(0, MAX_REASON_LENGTH - 1)}…` : line;
}

/** Returns the first text in the content of a result. */
function textOf(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((block: unknown) => (isObject(block) ? block['text'] : undefined));
  return texts.find((text) => typeof text === 'string');
}

function detailsOf(event: CallEvent): object {
  const { id, trace, requestId, task, method, name, outcome, refusedBy, error, ms, bytes } = event;
  return {
    id,
    traceId: trace?.traceId,
    requestId,
    taskId: task?.id,
    method,
    name,
    outcome,
    refusedBy,
    code: error?.code,
    reason: reasonOf(event),
    ms: Math.round(ms * 10) / 10,
    bytes,
    principal: event.principal?.id,
    client: event.client,
    protocolVersion: event.protocolVersion,
    session: event.sessionId?.slice(0, SHOWN_OF_SESSION),
    transport: event.transport,
    address: event.address,
  };
}
