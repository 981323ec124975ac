import { inject, PRINCIPAL, RequestContext, Service } from '@sigil/core';

/** Who makes the request at hand. */
@Service({ scope: 'request' })
export class Caller {
  private readonly principal = inject(PRINCIPAL);
  private readonly context = inject(RequestContext);

  /** For the records: the principal, and the program it uses. */
  get signature(): string {
    return `${this.principal?.id ?? 'nobody'} with ${this.context.client.info?.name ?? 'an unnamed client'}`;
  }
}
