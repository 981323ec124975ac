import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { FileDatabase } from '../../apps/inventory/dist/database/file-database.js';
import { DATABASE_CASES } from './database-cases.js';

const folder = mkdtempSync(join(tmpdir(), 'inventory-database-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CASES = Object.entries(DATABASE_CASES);

describe.each(['in memory', 'in a file'])('a database of the inventory %s', (where) => {
  test.each(CASES)('%s', (name, { run, expected }) => {
    const file = join(folder, `${CASES.findIndex(([one]) => one === name)}.db`);
    using database = new FileDatabase(where === 'in a file' ? file : undefined);
    expect(run(database)).toEqual(expected);
  });
});
