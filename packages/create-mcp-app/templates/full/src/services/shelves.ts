import { setTimeout as sleep } from 'node:timers/promises';
import { Service } from '@sigil/core';
import { Catalog } from './catalog.js';
import { Loans } from './loans.js';

@Service()
export class Shelves {
  constructor(
    private readonly catalog: Catalog,
    private readonly loans: Loans,
  ) {}

  /** Counts the copies on one shelf. This is slow. */
  async count(subject: string, signal: AbortSignal): Promise<number> {
    await sleep(100, undefined, { signal });
    const left = this.catalog.on(subject).map(({ id, copies }) => copies - this.loans.copiesOut(id));
    return left.reduce((sum, copies) => sum + copies, 0);
  }
}
