import { type Middleware, type NextFunction, type RequestContext, Service } from '@sigil/core';
import { RequestTrail } from './request-trail.js';

/**
 * Middleware that only one service uses. It has the scope `request`, because it injects the request-scoped
 * `RequestTrail`.
 */
@Service({ scope: 'request' })
export class LeaveTrail implements Middleware {
  constructor(private readonly trail: RequestTrail) {}

  async handle(context: RequestContext, next: NextFunction): Promise<unknown> {
    this.trail.note(`middleware saw request ${context.requestId}`);
    return next();
  }
}
