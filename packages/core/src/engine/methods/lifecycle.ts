import { ERROR_CODES, invalidParams, ProtocolError } from '../../errors/errors.js';
import { isObject } from '../../protocol/json.js';
import { isLogLevel, LOG_LEVELS } from '../../protocol/logging.js';
import { after } from '../../protocol/maybe-promise.js';
import { METHODS } from '../../protocol/protocol.js';
import type { MethodHandler } from '../exchange.js';
import { Session } from '../connection-state.js';
import { readImplementation } from '../session-state.js';
import { readOpening } from '../revisions/message-dialect.js';
import { negotiate, STATELESS_VERSIONS } from '../revisions/index.js';
import { EMPTY, type MethodParts, type MethodTable } from './table.js';

/** The maximum length of each member of the client description that a session stores, in characters of JSON. */
const LONGEST = { capabilities: 8 * 1024, clientInfo: 8 * 1024, workspaceFolders: 64 * 1024 };
/** The capabilities that a session stores: those that the specification names. */
const CAPABILITIES = ['roots', 'sampling', 'elicitation', 'tasks', 'extensions', 'experimental'];
const IDENTITY = ['name', 'title', 'version', 'description', 'websiteUrl', 'icons'];

/** Returns the methods `initialize`, `ping` and `server/discover`, and, for sessions, `logging/setLevel`. */
export function lifecycleMethods({ options, capabilities: offered, sessionBytes }: MethodParts): MethodTable {
  const { info, instructions, cacheHints } = options;
  const discoverHint = cacheHints.of(METHODS.discover);
  const about = instructions === undefined ? {} : { instructions };

  const initialize: MethodHandler = ({ call }, params) => {
    const { protocolVersion, capabilities, clientInfo } = params;
    if (typeof protocolVersion !== 'string')
      throw invalidParams('initialize needs a string "protocolVersion"');
    const { connectionState } = call;
    if (connectionState.session && !connectionState.endSession) {
      throw new ProtocolError(ERROR_CODES.invalidRequest, 'This session has been initialized already');
    }
    for (const [member, longest] of Object.entries(LONGEST)) {
      if (JSON.stringify(params[member] ?? null).length > longest)
        throw invalidParams(`"${member}" of initialize has more than ${longest} characters of JSON`);
    }
    const revision = negotiate(protocolVersion);
    const announced = offered.of(revision);
    const declared = isObject(capabilities) ? only(capabilities, CAPABILITIES) : {};
    const opening = readOpening(params, declared);
    const known = isObject(clientInfo) ? readImplementation(only(clientInfo, IDENTITY)) : undefined;
    const session = new Session(revision, known, opening.capabilities, announced, call.quotaKey);
    session.logLevel = opening.logLevel;
    session.roots = opening.roots;
    if (connectionState.session) {
      connectionState.endSession?.(call);
      connectionState.forget();
    }
    connectionState.begin(session, sessionBytes);
    const serverInfo = revision.implementation(info);
    return {
      result: { protocolVersion: revision.version, capabilities: announced, serverInfo, ...about },
    };
  };

  const discover: MethodHandler = ({ call }) => {
    const capabilities = offered.of(call.revision);
    const result = { supportedVersions: STATELESS_VERSIONS, capabilities, ...about };
    return { result, cache: discoverHint };
  };

  return {
    [METHODS.initialize]: initialize,
    [METHODS.discover]: discover,
    [METHODS.ping]: () => EMPTY,
    [METHODS.setLevel]: ({ call }, { level }) => {
      if (!isLogLevel(level)) throw invalidParams(`"level" must be one of ${LOG_LEVELS.join(', ')}`);
      const { session } = call.connectionState;
      if (!session) return EMPTY;
      const changed = call.connectionState.change(
        (state) => ({ ...state, logLevel: level }),
        () => void (session.logLevel = level),
      );
      return after(changed, () => EMPTY);
    },
  };
}

/** Copies the named members of an object. */
function only(value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}
