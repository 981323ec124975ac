import { defineTool } from '@sigil/core';
import { http } from '@sigil/http';
import { jwt, oauth } from '@sigil/auth';
import { createInventory } from './create-inventory.js';
import { FileDatabase } from './database/file-database.js';
import { StockRepository } from './repositories/stock-repository.js';

// The inventory for those who have logged in; `npm run start:auth` starts it with an authorization server.
const port = Number(process.env['PORT'] ?? 3000);
const resource = process.env['RESOURCE'] ?? `http://127.0.0.1:${port}/mcp`;
const issuer = process.env['ISSUER'] ?? 'http://127.0.0.1:9000';

const app = await createInventory(() => FileDatabase.open());
const stock = await app.get(StockRepository);
app.tools.add(
  defineTool({
    name: 'list_warehouses',
    description: 'List the warehouses, for those who manage the stock',
    readOnly: true,
    scopes: ['inventory:manage'],
    handle: (_args, ctx) => ({ warehouses: stock.warehouses(), seenBy: ctx.principal?.id }),
  }),
);
const runtime = http({
  port,
  authorization: oauth({
    resource,
    issuers: [issuer],
    tokens: jwt({ algorithms: ['RS256'] }),
    scopes: { initial: ['inventory'], implies: { 'inventory:manage': ['inventory'] } },
    description: { name: 'Outdoor shop inventory' },
  }),
});
try {
  const { address } = await app.run(runtime);
  console.log(`Inventory: ${address}`);
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  const fix = code === 'EADDRINUSE' ? '; choose another port with PORT' : '';
  console.error(`The inventory does not start: ${message}${fix}`);
  process.exit(1);
}
