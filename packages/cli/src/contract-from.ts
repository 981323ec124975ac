import type { Contract } from '@sigil/core';
import { readContract } from './contract-format.js';
import type { AskOptions } from './program/ask-program.js';
import { contractOf } from './program/contract-of.js';

/**
 * The contract in a file whose name ends in `.json`, or else of the server whose program is given.
 *
 * @throws UsageError when there is no such file, or it holds no contract.
 * @throws ServerError when the program fails, or does not answer in time.
 */
export async function contractFrom(source: string, options: AskOptions): Promise<Contract> {
  return source.endsWith('.json') ? readContract(source) : contractOf(source, options);
}
