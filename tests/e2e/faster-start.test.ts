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

const VALIDATOR = 'IsPhoneNumber, IsStrongPassword, IsString, isEmail, getMetadataStorage, validateSync';

/** The ways a program comes to class-validator after @sigil/core, and one before it. */
const WAYS = {
  'by an import': ['main.mjs', `import '@sigil/core'; import { ${VALIDATOR} } from 'class-validator';`],
  'by an import() later': [
    'later.mjs',
    `import '@sigil/core'; const { ${VALIDATOR} } = await import('class-validator');`,
  ],
  'by require': [
    'main.cjs',
    `const { createRequire } = require('node:module'); require('@sigil/core'); const { ${VALIDATOR} } = require('class-validator');`,
  ],
  'by an import before it': [
    'before.mjs',
    `import { ${VALIDATOR} } from 'class-validator'; import '@sigil/core';`,
  ],
} as const;

type Way = keyof typeof WAYS;
const ways = Object.keys(WAYS) as Way[];
const AFTER = ways.filter((way) => way !== 'by an import before it');

/** Tells what is loaded of libphonenumber-js and validator, before and after what a program does. */
const program = (way: Way, body: string): string => `
  ${WAYS[way][1]}
  ${way === 'by require' ? '' : `import { createRequire } from 'node:module';`}
  const required = createRequire(${way === 'by require' ? '__filename' : 'import.meta.url'});
  const ofValidator = createRequire(required.resolve('class-validator'));
  const loaded = () => {
    const paths = Object.keys(required.cache);
    const count = (part) => paths.filter((path) => part.test(path)).length;
    return [count(/metadata\\.max/), count(/validator[\\\\/]lib[\\\\/][^\\\\/]*$/)];
  };
  class Contact {}
  ${body}`;

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-start-')));
const project = join(folder, 'project');
const modules = join(project, 'node_modules');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => installInto(project));

/** Makes a project that has every package but one. */
function installInto(path: string, missing?: string): void {
  mkdirSync(join(path, 'node_modules'), { recursive: true });
  const installed = join(process.cwd(), 'node_modules');
  for (const name of readdirSync(installed))
    if (!name.startsWith('.') && name !== missing)
      symlinkSync(join(installed, name), join(path, 'node_modules', name));
}

async function start(way: Way, body: string, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const file = join(project, WAYS[way][0]);
  writeFileSync(file, program(way, body));
  // Links stay what they are, so that the program is installed where it stands.
  const flags = ['--preserve-symlinks', file];
  const { stdout } = await run(process.execPath, flags, { cwd: project, env: { ...process.env, ...env } });
  return JSON.parse(stdout);
}

describe('class-validator in a program that imports @sigil/core before it', () => {
  test.each(AFTER)('loads nothing that checks texts where no rule asks for it: %s', async (way) => {
    const told = await start(
      way,
      `
      IsString()(Contact.prototype, 'phone');
      const errors = validateSync(Object.assign(new Contact(), { phone: 1 }));
      console.log(JSON.stringify({ errors: errors.length, loaded: loaded() }));`,
    );
    expect(told).toEqual({ errors: 1, loaded: [0, 0] });
  });

  test.each(AFTER)('checks texts, and loads then what that takes: %s', async (way) => {
    const told = await start(
      way,
      `
      const before = loaded();
      IsPhoneNumber('CH')(Contact.prototype, 'phone');
      const errors = (phone) => validateSync(Object.assign(new Contact(), { phone })).length;
      const phones = [errors('123'), errors('044 668 18 00')];
      const [tables] = loaded();
      const mails = [isEmail('ann'), isEmail('ann@example.com')];
      const [, few] = loaded();
      class Account {}
      IsStrongPassword()(Account.prototype, 'password');
      const passwords = ['secret', 'Tr0ub4dor&3'].map((password) => validateSync(Object.assign(new Account(), { password })).length);
      console.log(JSON.stringify({ before, phones, tables, mails, isFew: few > 0 && few < 20, passwords }));`,
    );
    expect(told).toEqual({
      before: [0, 0],
      phones: [1, 0],
      tables: 1,
      mails: [false, true],
      isFew: true,
      passwords: [1, 0],
    });
  });

  test.each(AFTER)('leaves others what they require of libphonenumber-js and validator: %s', async (way) => {
    const told = await start(
      way,
      `
      const isMail = ofValidator('validator/lib/isEmail');
      const { default: validator } = ofValidator('validator');
      const { parsePhoneNumber } = ofValidator('libphonenumber-js/max');
      console.log(JSON.stringify({
        same: isMail === validator.isEmail,
        keys: Object.keys(isMail),
        mail: isMail('ann@example.com') && isEmail('ann@example.com'),
        country: parsePhoneNumber('+41446681800').country,
      }));`,
    );
    expect(told).toEqual({ same: true, keys: ['default'], mail: true, country: 'CH' });
  });
});

describe('class-validator', () => {
  test.each(ways)('is one module, in whatever way it is loaded: %s', async (way) => {
    const told = await start(
      way,
      `
      (async () => {
        const { default: imported, ...names } = await import('class-validator');
        const deep = required('class-validator/cjs/decorator/typechecker/IsString.js');
        const { getMetadataStorage: storage } = required('class-validator/cjs/metadata/MetadataStorage.js');
        const seen = [imported, names, required('class-validator'), deep].map((one) => one.IsString === IsString);
        console.log(JSON.stringify({ seen, storage: storage() === getMetadataStorage(), names: Object.keys(names).length > 200 }));
      })();`,
    );
    expect(told).toEqual({ seen: [true, true, true, true], storage: true, names: true });
  });

  test.each(ways)('says itself what is wrong with it: %s', async (way) => {
    const broken = join(folder, 'broken', way);
    installInto(broken, 'validator');
    const file = join(broken, WAYS[way][0]);
    writeFileSync(file, program(way, ''));
    const failed = run(process.execPath, ['--preserve-symlinks', file], { cwd: broken });
    await expect(failed).rejects.toThrow("Cannot find module 'validator");
  });
});

/** Serves a tool that takes a DTO and answers with another, and tells what a call gives. @param annotate what class-transformer is told of both. */
const served = (annotate: string, argument: string): string => `
  (async () => {
    const { createApp, defineTool } = await import('@sigil/core');
    const { connect } = await import('@sigil/testing');
    class Answer {}
    for (const name of ['text', 'secret']) IsString()(Answer.prototype, name);
    IsString()(Contact.prototype, 'phone');
    ${annotate}
    const handle = ({ phone }) => Object.assign(new Answer(), { text: phone, secret: 'x' });
    const tool = defineTool({ name: 'ask', input: Contact, output: Answer, handle });
    const app = await createApp({ name: 'shop', version: '1.0.0', definitions: [tool] });
    const client = await connect(app);
    const { structuredContent } = await client.callTool('ask', { ${argument}: 'one' });
    await client.close();
    await app.close();
    const isWhole = Object.keys(required.cache).some((path) => path.includes('TransformOperationExecutor'));
    console.log(JSON.stringify({ structuredContent, isWhole }));
  })();`;

describe('class-transformer', () => {
  test.each(ways)('is not loaded where nothing is transformed: %s', async (way) => {
    const told = await start(way, served('', 'phone'));
    expect(told).toEqual({ structuredContent: { text: 'one', secret: 'x' }, isWhole: false });
  });

  test.each([
    ...ways.map((way) => [way, `await import('class-transformer')`] as const),
    ...ways.map((way) => [way, `required('class-transformer')`] as const),
  ])(
    'does what its decorators say, in whatever way it is loaded: class-validator %s, %s',
    async (way, load) => {
      const annotate = `
      const { Exclude, Expose } = ${load};
      Exclude()(Answer.prototype, 'secret');
      Expose({ name: 'tel' })(Contact.prototype, 'phone');`;
      const told = await start(way, served(annotate, 'tel'));
      expect(told).toEqual({ structuredContent: { text: 'one' }, isWhole: true });
    },
  );
});

const canCache = 'enableCompileCache' in (process.getBuiltinModule('node:module') as object);

describe("Node's compile cache", () => {
  const test22 = canCache ? test : test.skip;

  test22(`is kept in node_modules/.cache${canCache ? '' : ' (not on a Node before 22.1)'}`, async () => {
    await start('by an import', `console.log('null');`);
    expect(readdirSync(join(modules, '.cache/sigil'))).not.toEqual([]);
  });

  test22(
    `is not kept where NODE_DISABLE_COMPILE_CACHE=1 wants none${canCache ? '' : ' (not on a Node before 22.1)'}`,
    async () => {
      rmSync(join(modules, '.cache'), { recursive: true, force: true });
      await start('by an import', `console.log('null');`, { NODE_DISABLE_COMPILE_CACHE: '1' });
      expect(readdirSync(modules)).not.toContain('.cache');
    },
  );
});
