import { type Access, type Guard, Service } from '@sigil/core';

/** Lets a definition be seen and used only by principals that hold the scope its `meta.scope` names. */
@Service()
export class RequiresScope implements Guard {
  allows({ meta, principal }: Access): boolean {
    const scope = meta['scope'];
    return typeof scope === 'string' && principal?.scopes?.includes(scope) === true;
  }
}
