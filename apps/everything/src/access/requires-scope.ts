import {
  type GuardContext,
  createMetadataDecorator,
  type Guard,
  type MetadataDecorator,
  Service,
} from '@sigil/core';

/** The scope that a definition asks of its callers; clients are not told. */
export const Scope: MetadataDecorator<string> = createMetadataDecorator<string>('scope');

/** Lets a definition be seen and used only by principals that hold the scope it asks for. */
@Service()
export class RequiresScope implements Guard {
  allows({ definition, principal }: GuardContext): boolean {
    const scope = Scope.of(definition);
    return scope !== undefined && principal?.scopes?.includes(scope) === true;
  }
}
