import { RequireScopes, Service, Tool, ToolContext } from '@sigil/core';

export interface Account {
  readonly id: string;
  readonly scopes: readonly string[];
}

@Service()
export class WhoAmI {
  // If a token does not have the scope, the server answers 403, and the client asks its user to grant the scope.
  @Tool({ description: 'Returns the logged-in user and the scopes', readOnly: true, openWorld: false })
  @RequireScopes('account:read')
  whoAmI(ctx: ToolContext): Account {
    return { id: ctx.principal?.id ?? '', scopes: ctx.principal?.scopes ?? [] };
  }
}
