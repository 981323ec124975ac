import { ERROR_CODES } from '../../errors/codes.js';
import { invalidParams, ProtocolError } from '../../errors/protocol-error.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import { isObject } from '../../protocol/json.js';
import { METHODS } from '../../protocol/methods.js';
import type { Capabilities } from '../capabilities.js';
import { readImplementation } from '../admission.js';
import { readOpening } from '../dialect/opening.js';
import type { EngineOptions } from '../engine-options.js';
import type { MethodHandler } from '../exchange.js';
import { negotiate, STATELESS_VERSIONS } from '../revisions/index.js';
import { Session } from '../session.js';
import { EMPTY, type MethodTable } from './table.js';

/** A session keeps what its client says of itself, for as long as it lives. */
const MAX_KEPT_LENGTH = 8 * 1024;

/** `initialize`, `ping` and `server/discover`: how a client and a server meet. */
export function lifecycleMethods(options: EngineOptions, offered: Capabilities): MethodTable {
  const { info, instructions, cacheHints } = options;
  const discoverHint = cacheHints.of(METHODS.discover);
  const about = instructions === undefined ? {} : { instructions };

  const initialize: MethodHandler = ({ call }, params) => {
    const { protocolVersion, capabilities, clientInfo } = params;
    if (typeof protocolVersion !== 'string')
      throw invalidParams('initialize needs a string "protocolVersion"');
    const { link } = call;
    if (link.session) {
      throw new ProtocolError(ERROR_CODES.invalidRequest, 'This session has been initialized already');
    }
    for (const [member, value] of Object.entries({ capabilities, clientInfo })) {
      if (JSON.stringify(value ?? null).length > MAX_KEPT_LENGTH)
        throw invalidParams(`"${member}" of initialize is longer than ${MAX_KEPT_LENGTH} characters of JSON`);
    }
    const revision = negotiate(protocolVersion);
    const known = isObject(capabilities) ? (capabilities as ClientCapabilities) : {};
    const announced = offered.of(revision);
    const opening = readOpening(params, known);
    const session = new Session(
      revision,
      readImplementation(clientInfo),
      opening.capabilities,
      announced,
      call.quotaKey,
    );
    session.logLevel = opening.logLevel;
    session.roots = opening.roots;
    link.session = session;
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
  };
}
