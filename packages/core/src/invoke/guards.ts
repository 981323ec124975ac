import type { Container } from '../container/contract.js';
import type { Access, Guard, GuardLike } from '../context/access.js';
import type { Call } from '../context/call.js';
import type { Logger } from '../protocol/logger.js';
import { after, isPromise, type MaybePromise } from '../protocol/maybe-promise.js';
import type { Gate, NamedGate } from '../registry/entry.js';
import { isClassWith } from './middleware.js';

/** What stays the same in every question to the guards of one definition. */
export type GuardedDefinition = Pick<Access, 'kind' | 'name' | 'meta'>;

/** Compiles guards into one gate: all must allow, the first that does not ends the asking. */
export function compileGate(
  guards: readonly GuardLike[],
  definition: GuardedDefinition,
  container: Container,
  logger: Logger,
): Gate | undefined {
  if (guards.length === 0) return undefined;
  const ask = (guard: GuardLike, call: Call, access: Access): MaybePromise<boolean> => {
    if (!isClassWith<Guard>(guard, 'allows')) return guard(access);
    const made = container.get<Guard>(guard, { request: call, session: call.session });
    return after(made, (instance) => instance.allows(access));
  };
  const askFrom = (index: number, call: Call, access: Access): MaybePromise<boolean> => {
    const guard = guards[index];
    if (!guard) return true;
    return after(ask(guard, call, access), (allowed) => allowed === true && askFrom(index + 1, call, access));
  };
  const refuse = (error: unknown): boolean => {
    logger.error({ err: error, ...definition }, 'a guard failed; access is refused');
    return false;
  };
  return (call) => {
    const { principal, client, facts } = call;
    try {
      const allowed = askFrom(0, call, { ...definition, principal, client, facts });
      return isPromise(allowed) ? allowed.catch(refuse) : allowed;
    } catch (error) {
      return refuse(error);
    }
  };
}

/** Compiles each guard into a gate of its own, for telling which of them refuses. Requests are served by `compileGate`. */
export function nameGates(
  guards: readonly GuardLike[],
  definition: GuardedDefinition,
  container: Container,
  logger: Logger,
): NamedGate[] {
  return guards.flatMap((guard, index) => {
    const allows = compileGate([guard], definition, container, logger);
    return allows ? [{ name: guard.name || `guard ${index + 1}, which has no name`, allows }] : [];
  });
}
