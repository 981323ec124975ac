import type { NextFunction, RequestContext } from '@sigil/core';

/** Sends the duration of each request, as a debug log message, to clients that enabled this level. */
export async function logDuration(ctx: RequestContext, next: NextFunction): Promise<unknown> {
  const start = performance.now();
  try {
    return await next();
  } finally {
    ctx.log.debug({ ms: Math.round(performance.now() - start) }, 'duration');
  }
}
