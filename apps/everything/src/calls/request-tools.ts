import { Resource, Service, Tool, UseMiddleware } from '@sigil/core';
import { CallCounter } from './call-counter.js';
import { LeaveTrail } from './leave-trail.js';
import { RequestTrail } from './request-trail.js';

/** A service with the scope `request`. It injects another such service, and a singleton. */
@Service({ scope: 'request' })
@UseMiddleware(LeaveTrail)
export class RequestTools {
  constructor(
    private readonly trail: RequestTrail,
    private readonly counter: CallCounter,
  ) {}

  @Tool({
    description: 'Shows what happened in this request so far',
    readOnly: true,
    output: {
      type: 'object',
      properties: { steps: { type: 'array', items: { type: 'string' } } },
      required: ['steps'],
    },
  })
  traceRequest(): { steps: readonly string[] } {
    this.trail.note('the tool ran');
    return { steps: this.trail.steps };
  }

  @Resource('calls://counts', { description: 'How often each handler was called' })
  counts(): Readonly<Record<string, number>> {
    return this.counter.counts;
  }
}
