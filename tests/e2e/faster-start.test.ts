import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const run = promisify(execFile);

/** Tells what of libphonenumber-js is loaded, before and after what a program does. */
const program = (body: string): string => `
  import { createRequire } from 'node:module';
  import { createApp } from '@sigil/core';
  import { IsPhoneNumber, IsString, validateSync } from 'class-validator';

  const { cache } = createRequire(import.meta.url);
  const tables = () => Object.keys(cache).filter((path) => path.includes('metadata.max')).length;
  class Contact {}
  ${body}`;

const project = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-start-')));
const modules = join(project, 'node_modules');
afterAll(() => rmSync(project, { recursive: true, force: true }));

beforeAll(() => {
  mkdirSync(modules);
  const installed = join(process.cwd(), 'node_modules');
  for (const name of readdirSync(installed))
    if (!name.startsWith('.')) symlinkSync(join(installed, name), join(modules, name));
});

async function start(body: string, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const file = join(project, 'main.mjs');
  writeFileSync(file, program(body));
  // Links stay what they are, so that the program is installed where it stands.
  const flags = ['--preserve-symlinks', file];
  const { stdout } = await run(process.execPath, flags, { cwd: project, env: { ...process.env, ...env } });
  return JSON.parse(stdout);
}

describe('class-validator in a program that imports @sigil/core before it', () => {
  test('loads no tables of phone numbers where no rule asks for them', async () => {
    const loaded = await start(`
      IsString()(Contact.prototype, 'phone');
      const errors = validateSync(Object.assign(new Contact(), { phone: 1 }));
      console.log(JSON.stringify({ errors: errors.length, tables: tables() }));`);
    expect(loaded).toEqual({ errors: 1, tables: 0 });
  });

  test('checks phone numbers, and loads their tables then', async () => {
    const checked = await start(`
      IsPhoneNumber('CH')(Contact.prototype, 'phone');
      const errors = (phone) => validateSync(Object.assign(new Contact(), { phone })).length;
      console.log(JSON.stringify({ before: tables(), wrong: errors('123'), right: errors('044 668 18 00'), after: tables() }));`);
    expect(checked).toEqual({ before: 0, wrong: 1, right: 0, after: 1 });
  });

  test('gives others who require libphonenumber-js all that it exports', async () => {
    const given = await start(`
      const require = createRequire(createRequire(import.meta.url).resolve('class-validator'));
      const phones = require('libphonenumber-js/max');
      const { parsePhoneNumber } = phones;
      const before = { named: 'parsePhoneNumber' in phones, keys: Object.keys(phones).includes('isValidPhoneNumber') };
      console.log(JSON.stringify({
        ...before,
        country: parsePhoneNumber('+41446681800').country,
        same: require('libphonenumber-js/max').parsePhoneNumber === parsePhoneNumber,
      }));`);
    expect(given).toEqual({ named: true, keys: true, country: 'CH', same: true });
  });
});

const canCache = 'enableCompileCache' in (process.getBuiltinModule('node:module') as object);

describe("Node's compile cache", () => {
  const test22 = canCache ? test : test.skip;

  test22(`is kept in node_modules/.cache${canCache ? '' : ' (not on a Node before 22.1)'}`, async () => {
    await start(`console.log('null');`);
    expect(readdirSync(join(modules, '.cache/sigil'))).not.toEqual([]);
  });

  test22(
    `is not kept where NODE_DISABLE_COMPILE_CACHE=1 wants none${canCache ? '' : ' (not on a Node before 22.1)'}`,
    async () => {
      rmSync(join(modules, '.cache'), { recursive: true, force: true });
      await start(`console.log('null');`, { NODE_DISABLE_COMPILE_CACHE: '1' });
      expect(readdirSync(modules)).not.toContain('.cache');
    },
  );
});
