import type { Contract } from '@sigil/core';
import { isContract } from '../contract-format.js';
import { type AskOptions, askProgram } from './ask-program.js';
import { listedContract } from './listed-contract.js';

/**
 * The contract of a server: a program made with Sigil gives it and ends; any other serves as it always does, and is asked for
 * its lists.
 *
 * @throws UsageError when there is no such program.
 * @throws ServerError when it fails, or does not answer in time.
 */
export function contractOf(script: string, options: AskOptions): Promise<Contract> {
  return askProgram(script, { SIGIL_INSPECT: 'contract' }, options, (program) => {
    const given = program.first((message) => (isContract(message) ? message : undefined));
    return Promise.race([given, listedContract(program)]);
  });
}
