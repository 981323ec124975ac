import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { logIn } from './log-in.js';
import { endProcesses, freePort, isAlive, ServerProcess, until } from './processes.js';

const APPS = new URL('../../apps/', import.meta.url).pathname;
const START = `${APPS}identity/dist/start.js`;
const IDENTITY = `${APPS}identity/dist/main.js`;
const CLIENT = `${APPS}identity/dist/client.js`;
const INVENTORY = `${APPS}inventory/dist/protected.js`;

afterEach(endProcesses);

/** Starts the client of the command line. @param args the tool and its arguments. */
async function call(address: string, ...args: readonly [string, string?]): Promise<ServerProcess> {
  const [tool, given = '{}'] = args;
  return new ServerProcess(CLIENT, [tool, given, address], { CALLBACK_PORT: String(await freePort()) });
}

/** The pages that it had its user open so far. */
const pages = (client: ServerProcess): URL[] =>
  [...client.stdout.matchAll(/^http:\S+\/auth\?\S+$/gm)].map(([url]) => new URL(url));

/** Does what its user does, so many times. */
async function logInTo(client: ServerProcess, times: number): Promise<void> {
  for (let time = 1; time <= times; time += 1) {
    await until(() => pages(client).length === time);
    await fetch(await logIn(pages(client).at(-1) as URL));
  }
}

/** Starts an authorization server that knows these scopes, and the inventory behind it. */
async function serve(scopes: string): Promise<{ address: string; identity: ServerProcess }> {
  const [issuerPort, port] = [await freePort(), await freePort()];
  const issuer = `http://127.0.0.1:${issuerPort}`;
  const identity = new ServerProcess(IDENTITY, ['--port', String(issuerPort), '--scopes', scopes]);
  new ServerProcess(INVENTORY, [], { PORT: String(port), ISSUER: issuer });
  const address = `http://127.0.0.1:${port}/mcp`;
  await until(() => identity.stdout.includes(issuer));
  await untilRefused(address);
  return { address, identity };
}

function untilRefused(address: string): Promise<void> {
  return until(() =>
    fetch(address).then(
      ({ status }) => status === 401,
      () => false,
    ),
  );
}

test('npm run start:auth starts an inventory that a client logs in to, and asks for more scopes', async () => {
  const [issuerPort, port] = [await freePort(), await freePort()];
  const started = new ServerProcess(START, [], { ISSUER_PORT: String(issuerPort), PORT: String(port) });
  const address = `http://127.0.0.1:${port}/mcp`;
  await until(() => started.stdout.includes(address));
  await untilRefused(address);
  expect(started.stdout).toContain(`client.js list_warehouses '{}' ${address}\n`);
  expect(started.stdout).toContain('ignore its warnings, which concern production servers');

  const client = await call(address, 'list_warehouses');
  await logInTo(client, 2);
  expect(await client.ended).toEqual({ code: 0, signal: null });
  expect(client.stdout).toContain('Waiting until the browser returns to http://127.0.0.1:');
  expect(client.stdout).toContain('inventory inventory:manage');
  expect(client.stdout).toContain(`http://127.0.0.1:${issuerPort}#ada`);
  started.child.kill('SIGTERM');
  await started.ended;
  expect(isAlive(started.pid)).toBe(false);
});

describe('the client of the command line', () => {
  test('stops when the authorization server does not grant a scope, which says so, too', async () => {
    const { address, identity } = await serve('inventory');
    const client = await call(address, 'list_warehouses');
    await logInTo(client, 2);
    expect(await client.ended).toEqual({ code: 1, signal: null });
    expect(client.stderr).toBe(
      'the login succeeded, but the authorization server did not grant inventory:manage: check its list of scopes\n',
    );
    expect(identity.stderr).toContain(
      'A client requests the scope inventory:manage, but this authorization server does not know it, and does not grant it: add it to --scopes\n',
    );
  });

  test('says in one line that there is no such tool, and that a login was cancelled', async () => {
    const { address } = await serve('inventory inventory:manage');
    const unknown = await call(address, 'list_warehuses');
    await logInTo(unknown, 1);
    expect(await unknown.ended).toEqual({ code: 1, signal: null });
    expect(unknown.stderr).toMatch(/^.*list_warehuses.*\n$/);

    const cancelled = await call(address, 'list_warehouses');
    await until(() => pages(cancelled).length === 1);
    const [page] = pages(cancelled);
    const back = new URL(page?.searchParams.get('redirect_uri') ?? '');
    expect((await fetch(new URL('/favicon.ico', back))).status).toBe(404);
    await fetch(`${back.href}?error=access_denied&error_description=End-User+aborted+interaction`);
    expect(await cancelled.ended).toEqual({ code: 1, signal: null });
    expect(cancelled.stderr).toBe(
      'The authorization server says access_denied: End-User aborted interaction\n',
    );
  });

  test('says in one line that its arguments are no JSON, before it asks for anything, and that there is no server', async () => {
    const wrong = await call('http://127.0.0.1:1/mcp', 'check_inventory', '{sku}');
    expect(await wrong.ended).toEqual({ code: 1, signal: null });
    expect(wrong.stderr).toBe(
      `The arguments of a tool must be a JSON object, such as '{"sku":"TNT-1002"}', not {sku}\n`,
    );
    const nowhere = await call(`http://127.0.0.1:${await freePort()}/mcp`, 'check_inventory');
    expect(await nowhere.ended).toEqual({ code: 1, signal: null });
    expect(nowhere.stderr).toMatch(/^.*fetch failed.*ECONNREFUSED.*\n$/);
  });
});

describe('the authorization server of apps/identity', () => {
  test.each([
    ['as it is started by hand', IDENTITY, '--port'],
    ['with the inventory', START, 'ISSUER_PORT'],
  ])('says in one line that its port is taken, %s', async (_, script, option) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      const args = script === IDENTITY ? ['--port', String(port)] : [];
      const identity = new ServerProcess(script, args, { ISSUER_PORT: String(port) });
      expect(await identity.ended).toEqual({ code: 1, signal: null });
      expect(identity.stderr.replaceAll(/^oidc-provider .*\n/gm, '')).toBe(
        `Port ${port} is used by another program: end that program, or choose another port with ${option}\n`,
      );
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  test('shows every flag, and refuses others', async () => {
    const help = new ServerProcess(IDENTITY, ['--help']);
    expect(await help.ended).toEqual({ code: 0, signal: null });
    for (const flag of ['--port', '--scopes', '--format', '--clients', '--metadata-documents'])
      expect(help.stdout).toContain(`\n  ${flag} `);
    const wrong = new ServerProcess(IDENTITY, ['--scopes', 'mcp,books:read']);
    expect(await wrong.ended).toEqual({ code: 2, signal: null });
    expect(wrong.stderr).toContain('--scopes: write spaces between scopes, not commas\n');
  });
});
