import type { Container } from '../container/contract.js';
import type { Call } from '../context/call.js';
import { RequestContext } from '../context/request-context.js';
import type { Constructor } from '../protocol/constructor.js';
import { LATEST_VERSION, METHODS } from '../protocol/protocol.js';
import type { Principal } from '../protocol/principal.js';

/** A request that nobody sent, for asking guards what they would say to a principal. It is its own session. */
export function hypotheticalCall(principal: Principal | undefined, container: Container): Call {
  const nobody = (): never => {
    throw new Error('There is no client behind this request');
  };
  const call: Call = {
    id: 'explain',
    method: METHODS.listTools,
    params: {},
    where: undefined,
    meta: {},
    signal: new AbortController().signal,
    client: { capabilities: {}, protocolVersion: LATEST_VERSION },
    principal,
    facts: principal ? { principal } : {},
    get scope() {
      return { request: call, session: call, context: () => call.context() };
    },
    state: {},
    currentContext: undefined,
    context() {
      const info = { kind: 'list', name: METHODS.listTools, metadata: {} } as const;
      return (call.currentContext ??= new RequestContext(call, info));
    },
    progress: () => undefined,
    log: () => undefined,
    ask: nobody,
    askAll: nobody,
    ping: nobody,
    requestState: undefined,
    inputResponses: {},
    inputResponse: nobody,
    closeStream: () => undefined,
    once: async (_key, run) => run(),
    resolve: (id) => container.get(id as Constructor, call.scope),
  };
  return call;
}
