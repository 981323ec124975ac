import { type GuardContext, createMetadataDecorator, type Guard } from '@sigil/core';

export type Role = 'reader' | 'agent';

/** Says who may see and use a definition. Clients are not told. */
export const Roles = createMetadataDecorator<Role>('role');

/** Lets in principals that have the role of the definition as a scope; readers where it names none. */
export class RolesGuard implements Guard {
  allows({ definition, principal }: GuardContext): boolean {
    return principal?.scopes?.includes(Roles.of(definition) ?? 'reader') ?? false;
  }
}
