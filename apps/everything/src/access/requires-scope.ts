import {
  type GuardContext,
  createMetadataDecorator,
  type Guard,
  type MetadataDecorator,
  Service,
} from '@sigil/core';

/** A decorator that sets the scope which callers of a definition need. The scope is not sent to clients. */
export const Scope: MetadataDecorator<string> = createMetadataDecorator<string>('scope');

/** Hides a definition from principals without the scope that `@Scope` sets. */
@Service()
export class RequiresScope implements Guard {
  allows({ definition, principal }: GuardContext): boolean {
    const scope = Scope.of(definition);
    return scope !== undefined && principal?.scopes?.includes(scope) === true;
  }
}
