import type { JsonSchema } from '@sigil/core';

/** What a server asks of the user (`elicitation/create`): to fill in a form, or to open a page. */
export interface ElicitRequest {
  /** A form when absent. */
  readonly mode?: 'form' | 'url';
  readonly message: string;
  /** The form, a flat object of primitive properties; absent in URL mode. */
  readonly requestedSchema?: JsonSchema;
  /** The page; absent in form mode. */
  readonly url?: string;
  /** Identity of a URL elicitation, up to 2025-11-25. */
  readonly elicitationId?: string;
}
