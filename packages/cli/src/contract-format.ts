import { readFileSync } from 'node:fs';
import type { Contract } from '@sigil/core';
import { UsageError } from './failures.js';
import { isObject, parseJson } from './json.js';

/** The format of contracts that this version reads. Written out here: the value is in a module that loads the framework. */
const FORMAT: Contract['format'] = 'sigil-contract/1';

/** Whether something is a contract. */
export function isContract(value: unknown): value is Contract {
  return isObject(value) && value['format'] === FORMAT;
}

/** A contract as a file holds it. */
export function contractText(contract: Contract): string {
  return `${JSON.stringify(contract, undefined, 2)}\n`;
}

/** @throws UsageError when the file cannot be read, or holds no contract. */
export function readContract(path: string): Contract {
  const contract = parseJson(read(path));
  if (isContract(contract)) return contract;
  throw new UsageError(`${path} is no contract: it should hold "format": "${FORMAT}"`);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
