import { open } from 'node:fs/promises';
import type { AuditRecord } from '@sigil/core';
import { auditHash, messageOf } from '@sigil/core/internal';
import { isObject } from '../json.js';
import { EXIT_CODES, UsageError } from '../failures.js';
import { show } from '../terminal.js';
import { type Command, readArguments } from './command.js';

const VERIFY_OPTIONS = {
  'key-env': {
    type: 'string',
    value: 'name',
    about: "the environment variable with the key of the audit's chain, if the chain has a key",
  },
  json: { type: 'boolean', about: 'the result as JSON' },
} as const;

/** A changed or misplaced record. */
interface Fault {
  /** The number of the line in the file, starting at 1. */
  readonly line: number;
  readonly what: string;
}

interface Verified {
  readonly records: number;
  readonly chains: number;
  readonly faults: readonly Fault[];
}

/** `sigil audit verify`: finds changed and missing records in an audit file. */
export const auditVerify: Command = {
  synopsis: 'audit verify <file> [--key-env <name>]',
  purpose: 'find audit records that were changed or removed',
  example: 'audit verify audit.jsonl --key-env AUDIT_KEY',
  options: VERIFY_OPTIONS,
  async run(args, terminal) {
    const { values, operands } = readArguments(args, VERIFY_OPTIONS, [], ['file']);
    const [file] = operands;
    if (file === undefined) throw new UsageError('audit verify needs the file with the records');
    const variable = values['key-env'];
    const key = variable === undefined ? undefined : process.env[variable];
    if (variable !== undefined && !key)
      throw new UsageError(`the environment variable ${variable} is not set`);
    const verified = await verify(file, key);
    show(terminal, values, verified, () => describe(verified));
    return verified.faults.length === 0 ? EXIT_CODES.ok : EXIT_CODES.found;
  },
};

/** Maximum number of reported faults. */
const MOST_FAULTS = 100;

async function verify(file: string, key: string | undefined): Promise<Verified> {
  const ends = new Map<string, { seq: number; hash: string }>();
  const faults: Fault[] = [];
  let line = 0;
  try {
    for await (const text of (await open(file)).readLines()) {
      line += 1;
      const what = await faultOf(text, ends, key);
      if (what !== undefined && faults.length < MOST_FAULTS) faults.push({ line, what });
    }
  } catch (error) {
    throw new UsageError(`the file cannot be read: ${messageOf(error)}`);
  }
  return { records: line, chains: ends.size, faults };
}

async function faultOf(
  text: string,
  ends: Map<string, { seq: number; hash: string }>,
  key: string | undefined,
): Promise<string | undefined> {
  const record = parse(text);
  if (!isObject(record)) return 'it is not an audit record, because it is not a JSON object';
  // A member that occurs twice can be read in different ways.
  if (JSON.stringify(record) !== text)
    return 'its format differs from the format of audit records: the record was changed';
  if (!isLinked(record))
    return 'it has no chain data: the record was added later, or was written without the audit option "chain"';
  const { chain } = record;
  const { seq, hash } = ends.get(chain.id) ?? { seq: 0, hash: '' };
  ends.set(chain.id, { seq: chain.seq, hash: chain.hash });
  if ((await auditHash(record, key)) !== chain.hash)
    return key === undefined
      ? 'its hash is wrong: the record was changed, or --key-env is missing for a chain with a key'
      : 'its hash is wrong: the record was changed, or the key is wrong';
  if (chain.seq !== seq + 1)
    return `record ${seq + 1} of the chain ${chain.id} is missing: this is record ${chain.seq}`;
  return chain.previous === hash ? undefined : 'its chain does not continue from the previous record';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a record belongs to a chain. */
function isLinked(record: object): record is AuditRecord & Required<Pick<AuditRecord, 'chain'>> {
  const chain = 'chain' in record ? record.chain : undefined;
  return isObject(chain) && typeof chain['id'] === 'string' && typeof chain['seq'] === 'number';
}

function describe({ records, chains, faults }: Verified): string[] {
  const found = faults.map(({ line, what }) => `line ${line}: ${what}`);
  const inAll = `${records} records in ${chains} chains`;
  return [
    ...found,
    faults.length === 0
      ? `${inAll}: no record was changed, and no record is missing within a chain`
      : `${inAll}: ${faults.length} found`,
  ];
}
