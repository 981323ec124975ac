import { Deadlines, type Endpoint, Quota } from '@sigil/core/transport';
import { OverloadRefusal } from './answers.js';
import { Authentication } from './authentication.js';
import type { StreamRules } from './event-stream.js';
import type { BodyLimits } from './http-exchange.js';
import type { ResolvedOptions } from './options.js';
import { OutputBudget } from './output-budget.js';

/** What everything that serves one endpoint shares. */
export interface HandlerParts {
  readonly endpoint: Endpoint;
  readonly options: ResolvedOptions;
  /** Absent where every client is served. */
  readonly authentication: Authentication | undefined;
  readonly overload: OverloadRefusal;
  readonly bodies: BodyLimits;
  readonly output: OutputBudget;
  readonly streams: StreamRules;
  /** The requests of sessions that are not answered at once. */
  readonly longWaits: Deadlines;
}

export function partsOf(endpoint: Endpoint, options: ResolvedOptions): HandlerParts {
  const { authenticate, maxBodyBytes, maxTotalBodyBytes, keepAliveMs } = options;
  const authentication = authenticate && new Authentication(authenticate, options, endpoint.logger);
  const overload = new OverloadRefusal(endpoint.logger);
  return {
    endpoint,
    options,
    authentication,
    overload,
    bodies: {
      maxBodyBytes,
      overload,
      times: new Deadlines(options.requestTimeoutMs),
      // One body may always be as long as a body may be.
      budget: new Quota(maxTotalBodyBytes, Math.max(maxBodyBytes, Math.floor(maxTotalBodyBytes / 4))),
    },
    output: new OutputBudget(options, endpoint.logger, overload),
    streams: {
      keepAliveMs,
      watch: authentication && ((http, refused, renewed) => authentication.watch(http, refused, renewed)),
    },
    longWaits: new Deadlines(options.streamAfterMs),
  };
}
