import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { listen } from './listen.js';
import { createProvider } from './provider.js';

// An authorization server, and the inventory behind it: `npm run start:auth`.
const ISSUER_PORT = Number(process.env['ISSUER_PORT'] ?? 9000);
const SERVER_PORT = Number(process.env['PORT'] ?? 3000);
const issuer = `http://127.0.0.1:${ISSUER_PORT}`;
const address = `http://127.0.0.1:${SERVER_PORT}/mcp`;

const INVENTORY = fileURLToPath(new URL('../../inventory/dist/protected.js', import.meta.url));
const CLIENT = 'node apps/identity/dist/client.js';

const SCOPES = ['inventory', 'inventory:manage'];
const provider = createProvider({
  issuer,
  scopes: SCOPES,
  scopesAreIn: 'SCOPES in apps/identity/src/start.ts',
  resource: address,
});
listen(provider, ISSUER_PORT, 'ISSUER_PORT', () => {
  const inventory: ChildProcess = spawn(process.execPath, [INVENTORY], {
    env: { ...process.env, PORT: String(SERVER_PORT), ISSUER: issuer },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  inventory.once('exit', (code) => process.exit(code ?? 1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void inventory.kill(signal));
  console.log(`
Inventory:            ${address}
Authorization server: ${issuer} (accepts any name and password; ignore its warnings, which concern production servers)

A request without a token is refused. The response names the authorization server:
  curl -i -X POST ${address}

Log in with the official client, and call a tool. The second tool needs another scope, which the client requests:
  ${CLIENT} check_inventory '{"sku":"TNT-1002"}' ${address}
  ${CLIENT} list_warehouses '{}' ${address}

To change ports, set PORT, ISSUER_PORT (the authorization server) and CALLBACK_PORT (the client).
`);
});
