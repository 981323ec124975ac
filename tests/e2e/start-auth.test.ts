import { afterAll, expect, test } from '@jest/globals';
import { logIn } from './log-in.js';
import { endProcesses, freePort, isAlive, ServerProcess, until } from './processes.js';

const START = new URL('../../apps/identity/dist/start.js', import.meta.url).pathname;
const CLIENT = new URL('../../apps/identity/dist/client.js', import.meta.url).pathname;

afterAll(endProcesses);

test('npm run start:auth starts an inventory that a client logs in to, and asks for more scopes', async () => {
  const [issuerPort, port, callbackPort] = [await freePort(), await freePort(), await freePort()];
  const started = new ServerProcess(START, [], { ISSUER_PORT: String(issuerPort), PORT: String(port) });
  const address = `http://127.0.0.1:${port}/mcp`;
  await until(() => started.stdout.includes(address));
  await until(() =>
    fetch(address).then(
      ({ status }) => status === 401,
      () => false,
    ),
  );
  const client = new ServerProcess(CLIENT, ['list_warehouses', '{}', address], {
    CALLBACK_PORT: String(callbackPort),
  });
  const urls = (): string[] => [...client.stdout.matchAll(/^http:\S+\/auth\?\S+$/gm)].map(([url]) => url);
  for (const scopes of [1, 2]) {
    await until(() => urls().length === scopes);
    await fetch(await logIn(new URL(urls().at(-1) ?? '')));
  }
  expect(await client.ended).toEqual({ code: 0, signal: null });
  expect(client.stdout).toContain('inventory inventory:manage');
  expect(client.stdout).toContain(`http://127.0.0.1:${issuerPort}#ada`);
  started.child.kill('SIGTERM');
  await started.ended;
  expect(isAlive(started.pid)).toBe(false);
});
