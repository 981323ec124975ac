import { ERROR_CODES } from '../errors/codes.js';
import { ProtocolError } from '../errors/protocol-error.js';

/**
 * Asks several things side by side.
 *
 * @param signal ends the asking from outside.
 * @param ask asks one of them; its signal aborts when another one has failed, too.
 * @returns the answers under the names of the questions.
 * @throws whatever the first failure threw.
 */
export async function together<Q, A>(
  questions: Readonly<Record<string, Q>>,
  signal: AbortSignal,
  ask: (key: string, question: Q, signal: AbortSignal) => Promise<A>,
): Promise<Record<string, A>> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  try {
    const asked = Object.entries(questions).map(
      async ([key, question]) => [key, await ask(key, question, either)] as const,
    );
    return Object.fromEntries(await Promise.all(asked));
  } catch (error) {
    const message = 'Another question that was asked with this one has failed';
    failed.abort(new ProtocolError(ERROR_CODES.internalError, message));
    throw error;
  }
}
