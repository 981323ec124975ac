import 'reflect-metadata';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import type { JsonSchema } from '../../src/protocol/json.js';
import { planClass } from './harness.js';
import { classWith, forget, rowOf } from './oracle.js';
import { DATE_USES, STRUCTURAL, type Use, USES } from './uses/index.js';

/** Keywords that annotate: no schema validator refuses a value for them, and `type` alone says nothing of a rule. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'type',
  'description',
  'format',
  'contentEncoding',
  'contentMediaType',
]);

interface Row {
  readonly code: string;
  readonly schema: string;
  readonly says: string;
}

async function rowFor(use: Use): Promise<Row> {
  const cls = classWith(use.decorate());
  const properties = (await planClass(cls)).advertised['properties'] as { value: JsonSchema };
  forget(cls);
  const { rule, exact } = rowOf(use);
  const isSaid = exact || Object.keys(properties.value).some((keyword) => !ANNOTATIONS.has(keyword));
  const isKind = rule?.keywords !== undefined && !('type' in properties.value);
  const says = exact ? 'exact' : isSaid || isKind ? 'the schema says less' : 'cannot say';
  return { code: `@${use.code}`, schema: JSON.stringify(properties.value), says };
}

/** The first use of each decorator, and those of which the schema says more or less than of the first. */
async function documented(): Promise<Row[]> {
  const rows: Row[] = [];
  const seen = new Set<string>();
  for (const use of [...USES, ...DATE_USES]) {
    const row = await rowFor(use);
    const key = `${use.code.replace(/\(.*$/s, '')} ${row.says}`;
    if (!seen.has(key)) rows.push(row);
    seen.add(key);
  }
  return rows;
}

async function page(): Promise<string> {
  return readFile(new URL('../../../../docs/schemas.md', import.meta.url), 'utf8');
}

function rowsOf(text: string, heading: string): string[][] {
  const section = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| `@'));
  const cells = lines.map((line) => line.slice(1, -1).split(/(?<!\\)\|/));
  return cells.map((row) =>
    row.map((cell) =>
      cell
        .trim()
        .replace(/^`+ ?| ?`+$/g, '')
        .replaceAll('\\|', '|'),
    ),
  );
}

describe('the page about schemas', () => {
  test('has every decorator that judges values, with its schema, and no other', async () => {
    const expected = (await documented()).map(({ code, schema, says }) => [code, schema, says]);
    expect(rowsOf(await page(), 'Decorators that validate values')).toEqual(expected);
  });

  test('has every other decorator, and no other', async () => {
    const shown = rowsOf(await page(), 'Other decorators').map(([code]) => code);
    expect(shown.map((code) => /^@(\w+)/.exec(code ?? '')?.[1]).sort()).toEqual([...STRUCTURAL].sort());
  });
});
