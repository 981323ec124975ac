import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { type Official, v1, v2Pinned } from './clients.js';
import { Nodes, noNodes } from './nodes.js';
import { endProcesses, freePort, INVENTORY, ServerProcess, until } from './processes.js';
import { type StoreName, STORES } from './stores.js';

const SKU = 'TNT-1002';

for (const store of Object.keys(STORES) as StoreName[]) {
  const why = noNodes(store, 'nginx');
  const name = `three nodes of the inventory on ${store} behind nginx`;
  if (why === undefined) describe(name, () => threeNodes(store));
  else describe.skip(`${name} (${why})`, () => test('is skipped', () => undefined));
}

function threeNodes(store: StoreName): void {
  let nodes: Nodes;
  let folder: string;
  const clients: Official[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inventory-'));
    const args = ['--database', join(folder, 'inventory.sqlite')];
    nodes = await Nodes.start(store, 'nginx', { script: INVENTORY, args });
  }, 60_000);

  afterAll(async () => {
    for (const { client } of clients) await client.close();
    await nodes.stop();
    await rm(folder, { recursive: true, force: true });
  }, 30_000);

  test.each([v1('2025-11-25'), v2Pinned])(
    'show at each node what was reserved at another: $name',
    async (kind) => {
      const connect = async (address: string): Promise<Official> => {
        const official = await kind.connect({ address });
        clients.push(official);
        return official;
      };
      const call = async ({ client }: Official, name: string, args: Record<string, unknown>) => {
        const result = await client.callTool({ name, arguments: args });
        return (result as { structuredContent: { quantity: number; left: number } }).structuredContent;
      };
      const each = await Promise.all([0, 1, 2].map((at) => connect(nodes.addressOf(at))));
      const { quantity: before } = await call(each[0] as Official, 'check_inventory', { sku: SKU });
      const { left } = await call(each[0] as Official, 'reserve_stock', { sku: SKU, quantity: 2 });
      expect(left).toBe(before - 2);
      for (const client of each)
        expect((await call(client, 'check_inventory', { sku: SKU })).quantity).toBe(left);
      // Through nginx, each request reaches the next node.
      const through = await connect(nodes.address);
      for (let round = 0; round < 6; round += 1)
        expect((await call(through, 'check_inventory', { sku: SKU })).quantity).toBe(left);
    },
    30_000,
  );
}

interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly profiles?: readonly string[];
}

describe('the compose files of the inventory', () => {
  const read = async (name: string): Promise<Readonly<Record<string, Service>>> => {
    const text = await readFile(`apps/inventory/${name}`, 'utf8');
    return (parse(text, { merge: true }) as { services: Readonly<Record<string, Service>> }).services;
  };

  test('start the nodes that nginx passes requests to', async () => {
    const services = await read('compose.yaml');
    const nginx = await readFile('apps/inventory/nginx.conf', 'utf8');
    const passed = [...nginx.matchAll(/^ *server (\S+):(\d+)/gm)].map(([, name = '', port]) => [name, port]);
    const nodes = Object.keys(services).filter((name) => services[name]?.build);
    expect(passed).toEqual(nodes.map((name) => [name, services[name]?.environment?.['PORT']]));
    expect(services['nginx']?.volumes).toEqual(['./nginx.conf:/etc/nginx/conf.d/default.conf:ro']);
    for (const name of nodes) {
      const { build } = services[name] as Required<Service>;
      expect(join('apps/inventory', build.context, build.dockerfile)).toBe('apps/inventory/Dockerfile');
      expect(await readFile(build.dockerfile, 'utf8')).toContain('apps/inventory/dist/main.js');
    }
  });

  test.each(['compose.yaml', 'compose.postgres.yaml'])('name stores that they start: %s', async (file) => {
    const services = await read(file);
    for (const name of ['inventory-1', 'inventory-2', 'inventory-3']) {
      const { protocol, hostname } = new URL(services[name]?.environment?.['BACKEND'] ?? '');
      expect(protocol).toBe(`${hostname}:`);
      expect(services[hostname]?.image).toMatch(new RegExp(`^${hostname}:`));
      expect(services[hostname]?.profiles).toBeUndefined();
    }
  });

  test('give nodes what their program takes', async () => {
    const { command = [], environment = {}, healthcheck } = (await read('compose.yaml'))['inventory-1'] ?? {};
    const { values, positionals } = parseArgs({
      args: [...command],
      options: { 'allow-anonymous': { type: 'boolean' }, database: { type: 'string' } },
      allowPositionals: true,
    });
    expect(positionals).toEqual([]);
    expect(values.database).toMatch(/^\/data\//);
    const folder = await mkdtemp(join(tmpdir(), 'inventory-'));
    const args = command.map((each) => each.replace('/data', folder));
    // A store that is not there keeps no node from starting.
    const [port, unused] = [String(await freePort()), String(await freePort())];
    const env = {
      ...environment,
      HOST: '127.0.0.1',
      PORT: port,
      BACKEND: `redis://127.0.0.1:${unused}`,
      STATE_KEY: 'of all nodes, for this test alone',
    };
    expect(Object.keys(env)).toEqual(Object.keys(environment));
    const node = new ServerProcess(INVENTORY, args, env);
    try {
      const readyz = `http://127.0.0.1:${port}/readyz`;
      await until(() =>
        fetch(readyz).then(
          ({ status }) => status === 503,
          () => false,
        ),
      );
      expect(healthcheck?.test.at(-1)).toContain(`http://127.0.0.1:${environment['PORT']}/readyz`);
    } finally {
      await endProcesses();
      await node.ended;
      await rm(folder, { recursive: true, force: true });
    }
  }, 30_000);
});
