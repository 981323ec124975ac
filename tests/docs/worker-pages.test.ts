import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startWorkerd, WORKERD } from '../e2e/frameworks/workerd.js';
import { post } from '../e2e/modern-http.js';
import { sigil } from '../e2e/sigil-command.js';
import { install } from '../publishing/packages.js';
import { codeBlocks, compile, textBlocks } from './code-blocks.js';
import { textOf } from './guide-page.js';

const run = promisify(execFile);
const testInWorkerd = WORKERD === undefined ? test.skip : test;

describe('the page deployment of the guide leads from an app to a worker, with packages as npm installs them', () => {
  const PAGE = 'docs/guide/deployment.md';
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'sigil-worker-')));
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  beforeAll(async () => {
    await install(project, ['core', 'node', 'http', 'workers', 'cli'], ['typedi', 'typescript']);
    const [tsconfig] = await textBlocks(PAGE, 'json');
    const [config] = await textBlocks(PAGE, 'capnp');
    const entry = (await codeBlocks(PAGE)).find(({ name }) => name === 'src/worker.ts');
    mkdirSync(join(project, 'src'));
    const files = { 'tsconfig.json': tsconfig, 'config.capnp': config, 'src/worker.ts': entry?.code };
    for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text ?? '');
    const [installs, builds, ...starts] = (await textBlocks(PAGE, 'sh')).map((block) =>
      block.trim().split('\n'),
    );
    expect(installs).toHaveLength(2);
    expect(starts).toEqual([['npx workerd serve config.capnp'], ['npx wrangler deploy']]);
    const { NODE_OPTIONS: _options, ...env } = process.env;
    for (const command of builds ?? []) await run('sh', ['-c', command], { cwd: project, env });
  }, 120_000);

  test('by a build that has all packages in one file', () => {
    const built = readFileSync(join(project, 'dist/worker.mjs'), 'utf8');
    expect(built).not.toMatch(/(?:from|import) ?["']@sigil/);
    expect(built.length).toBeGreaterThan(100_000);
  });

  test('by a wrangler.toml that says what config.capnp does', async () => {
    const [deployed = ''] = await textBlocks(PAGE, 'toml');
    const local = readFileSync(join(project, 'config.capnp'), 'utf8');
    expect(local).toContain(`embed "${/^main = "(.*)"$/m.exec(deployed)?.[1]}"`);
    expect(local).toContain(`compatibilityDate = "${/^compatibility_date = "(.*)"$/m.exec(deployed)?.[1]}"`);
    expect(local).toContain(`compatibilityFlags = ${/^compatibility_flags = (.*)$/m.exec(deployed)?.[1]},`);
    const variables = [...deployed.slice(deployed.indexOf('[vars]')).matchAll(/^(\w+) = "/gm)];
    expect(variables.map(([, name]) => name)).toEqual(
      [...local.matchAll(/\(name = "(\w+)", text = /g)].map(([, name]) => name),
    );
  });

  testInWorkerd(
    'which answers in workerd, where that is installed',
    async () => {
      const { program, origin } = await startWorkerd(join(project, 'config.capnp'));
      const params = { name: 'greet', arguments: { name: 'Ada' } };
      const result = await post(`${origin}/mcp`, 'tools/call', params).finally(() => program.kill());
      expect(textOf(result)).toBe('Hello, Ada');
    },
    30_000,
  );
});

describe('the README of @sigil/workers shows', () => {
  const README = 'packages/workers/README.md';
  const folder = mkdtempSync(join(tmpdir(), 'visits-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  testInWorkerd(
    'state in a Durable Object, which is kept, in workerd where that is installed',
    async () => {
      const program = join(await compile(await codeBlocks(README), 'workers'), 'visits.js');
      const [config = ''] = await textBlocks(README, 'capnp');
      writeFileSync(join(folder, 'config.capnp'), config);
      const out = join(folder, 'dist/worker.mjs');
      const { stdout } = await sigil('build', program, '--target', 'worker', '--out', out, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ validators: 1, warnings: [] });
      const visited: unknown[] = [];
      for (const place of ['Kiel', 'Kiel', 'Bremen', 'Kiel']) {
        const worker = await startWorkerd(join(folder, 'config.capnp'), folder);
        const params = { name: 'visit', arguments: { place } };
        const result = post(`${worker.origin}/mcp`, 'tools/call', params);
        visited.push((await result.finally(() => worker.program.kill()))['structuredContent']);
      }
      expect(visited).toEqual([
        { place: 'Kiel', count: 1 },
        { place: 'Kiel', count: 2 },
        { place: 'Bremen', count: 1 },
        { place: 'Kiel', count: 3 },
      ]);

      const [deployed = ''] = await textBlocks(README, 'toml');
      const [, binding, className] = /name = "(\w+)"\nclass_name = "(\w+)"/.exec(deployed) ?? [];
      expect(deployed).toContain(`new_sqlite_classes = ["${className}"]`);
      expect(config).toContain(`(name = "${binding}", durableObjectNamespace = "${className}")`);
    },
    60_000,
  );
});
