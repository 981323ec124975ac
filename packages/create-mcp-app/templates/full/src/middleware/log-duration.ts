import type { NextFunction, RequestContext } from '@sigil/core';

/** Tells clients that ask for debug messages how long each request took. */
export async function logDuration(ctx: RequestContext, next: NextFunction): Promise<unknown> {
  const start = performance.now();
  try {
    return await next();
  } finally {
    ctx.log.debug({ ms: Math.round(performance.now() - start) }, 'duration');
  }
}
