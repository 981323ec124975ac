import { RequireScopes, Service, Tool, ToolContext } from '@sigil/core';

export interface Account {
  readonly id: string;
  readonly scopes: readonly string[];
}

@Service()
export class WhoAmI {
  // A client whose token lacks the scope gets a challenge, and asks its user for it.
  @Tool({ description: 'Returns the logged-in user and the scopes', readOnly: true, openWorld: false })
  @RequireScopes('account:read')
  whoAmI(ctx: ToolContext): Account {
    return { id: ctx.principal?.id ?? '', scopes: ctx.principal?.scopes ?? [] };
  }
}
