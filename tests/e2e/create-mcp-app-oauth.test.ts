import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { v2Auto } from './clients.js';
import { createMcpApp, endStarted, passTests, succeed, temporaryFolder } from './create-mcp-app.js';
import { LONG_MS } from './created-project.js';
import { LoggedInUser } from './log-in.js';
import { endProcess, endProcesses, freePort, ServerProcess, until } from './processes.js';
import { noRedis, Redis } from './redis.js';
import { closeUsers, openUser } from './user-client.js';

/** Where the README and `.env.example` of a project say it is. */
const RESOURCE = 'http://127.0.0.1:3000/mcp';
const IDENTITY = new URL('../../apps/identity/dist/main.js', import.meta.url).pathname;

afterEach(closeUsers);
afterEach(endProcesses);
afterEach(endStarted);

describe.each([
  { template: 'http', tool: 'find_recipes', args: { ingredient: 'rice' }, answer: 'Mushroom risotto' },
  { template: 'full', tool: 'search_books', args: { words: 'stars' }, answer: 'A Year of Stars' },
])('a project of $template whose users log in', ({ template, tool, args, answer }) => {
  test(
    'passes its tests, and serves users of the authorization server that its variables name',
    async () => {
      using folder = temporaryFolder();
      const flags = ['--template', template, '--auth', 'oauth', '--pm', 'npm', '--json'];
      const { code, stdout } = await createMcpApp(folder.path, ['shop', ...flags]);
      expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' });
      expect(JSON.parse(stdout)).toMatchObject({ auth: 'oauth', answer: expect.stringContaining(answer) });
      const project = join(folder.path, 'shop');

      const run = (...script: readonly string[]) => succeed(project, 'npm', ...script);
      await Promise.all([
        passTests(project, 'npm'),
        run('run', 'typecheck'),
        run('run', 'check'),
        ...(template === 'full' ? [run('run', 'lint')] : []),
        servesOverStdioWithoutSettings(project),
        keepsItsStateInRedis(project),
      ]);

      const own = join(project, 'dev/identity.mjs');
      for (const [identity, mode] of [[own, 'auto'] as const, [IDENTITY, 'legacy'] as const]) {
        const issuer = await startIdentity(identity);
        const address = await startServer(project, issuer);
        const client = await openUser(address, new LoggedInUser('ada'), mode);
        expect(await client.call(tool, args)).toContain(answer);
        expect(client.user.asked).toEqual(['mcp']);
        expect(JSON.parse(await client.call('who_am_i'))).toEqual({
          id: `${issuer}#ada`,
          scopes: ['mcp', 'account:read'],
        });
        expect(client.user.asked).toEqual(['mcp', 'mcp account:read']);
        if (identity === own) await showsWhichScopesAreLacking(project, issuer, address);
        await closeUsers();
      }
    },
    LONG_MS,
  );
});

/** @returns the issuer. */
async function startIdentity(program: string): Promise<string> {
  const port = await freePort();
  const scopes = program === IDENTITY ? ['--scopes', 'mcp account:read'] : [];
  const identity = new ServerProcess(program, ['--port', String(port), ...scopes]);
  const issuer = `http://127.0.0.1:${port}`;
  await until(() => identity.stdout.includes(`Authorization server: ${issuer}`));
  return issuer;
}

/** Starts a project as `npm start` does, with what it finds in its `.env`. */
async function startServer(project: string, issuer: string): Promise<string> {
  const port = await freePort();
  const example = readFileSync(join(project, '.env.example'), 'utf8');
  const settings = example
    .replace('127.0.0.1:3000', `127.0.0.1:${port}`)
    .replace('http://127.0.0.1:9000', issuer)
    .replace('# PORT=3000', `PORT=${port}`);
  writeFileSync(join(project, '.env'), settings);
  const server = new ServerProcess(join(project, 'dist/main.js'));
  const address = `http://127.0.0.1:${port}/mcp`;
  await until(() => server.stderr.includes(`Listening on ${address}`));
  return address;
}

/** Runs the commands of its README that call it without a browser. */
async function showsWhichScopesAreLacking(project: string, issuer: string, address: string): Promise<void> {
  const readme = readFileSync(join(project, 'README.md'), 'utf8');
  const commands = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  const shown = commands.find((block) => block.includes('call_who_am_i')) ?? '';
  const here = shown.replaceAll('http://127.0.0.1:9000', issuer).replaceAll(RESOURCE, address);
  const [refused = '', answered = ''] = (await succeed(project, 'sh', '-c', here)).split(/^(?=HTTP)/m);
  expect(refused).toMatch(/^HTTP\/1\.1 403 [\s\S]*\nWWW-Authenticate: .*scope="account:read"/i);
  expect(answered).toMatch(/^HTTP\/1\.1 200 [\s\S]*#client:robot/);
}

/** With the variables that `compose.yaml` sets it is ready once its store answers; without the secret it says what is missing. */
async function keepsItsStateInRedis(project: string): Promise<void> {
  const script = join(project, 'dist/main.js');
  const refused = new ServerProcess(script, [], { REDIS_URL: 'redis://127.0.0.1:1', STATE_KEY: '' });
  expect(await refused.ended).toEqual({ code: 1, signal: null });
  expect(refused.stderr).toMatch(/^Set STATE_KEY to the same secret .*\n$/);
  if (noRedis !== undefined) return;

  const redis = await Redis.start();
  try {
    const port = String(await freePort());
    const server = new ServerProcess(script, [], {
      PORT: port,
      REDIS_URL: redis.url,
      STATE_KEY: 'k'.repeat(32),
    });
    await until(() => server.stderr.includes('Listening on'));
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect(await ready.json()).toMatchObject({ status: 'ready', checks: { store: 'ok', bus: 'ok' } });
    await endProcess(server);
  } finally {
    await redis.stop();
  }
}

/** Over stdio its owner calls, with every scope; over HTTP the same project says what is missing. */
async function servesOverStdioWithoutSettings(project: string): Promise<void> {
  const script = join(project, 'dist/main.js');
  const variables = { OAUTH_RESOURCE: '', OAUTH_ISSUER: '' };
  const overHttp = new ServerProcess(script, [], variables);
  expect(await overHttp.ended).toEqual({ code: 1, signal: null });
  expect(overHttp.stderr).toMatch(
    /^Set OAUTH_RESOURCE and OAUTH_ISSUER, or copy \.env\.example to \.env: .*\n$/,
  );

  const { client } = await v2Auto.connect({ script, args: ['--stdio'] });
  try {
    const { structuredContent } = await client.callTool({ name: 'who_am_i', arguments: {} });
    expect(structuredContent).toEqual({ id: 'owner', scopes: ['mcp', 'account:read'] });
  } finally {
    await client.close();
  }
}
