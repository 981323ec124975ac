import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type RunningWorker, startWorkerd, WORKERD } from './frameworks/workerd.js';

const APP = 'apps/workers';

(WORKERD === undefined ? describe.skip : describe)('apps/workers, in workerd where that is installed', () => {
  let worker: RunningWorker;
  let client: Client;

  beforeAll(async () => {
    worker = await startWorkerd(`${APP}/config.capnp`);
    client = new Client({ name: 'reader', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${worker.origin}/mcp`)));
  });

  afterAll(async () => {
    await client.close();
    await worker.program.kill();
  });

  test('reads its tariff from a binding', async () => {
    expect((await client.callTool({ name: 'list_zones' })).content).toMatchObject([
      { text: '["home","europe"]' },
    ]);
    const { contents } = await client.readResource({ uri: 'parcels://tariff' });
    expect(JSON.parse(String((contents[0] as { text?: string }).text))).toHaveProperty('home.parcel', 399);
  });

  test('checks arguments, and computes with them', async () => {
    const price = async (args: object) =>
      client.callTool({ name: 'price', arguments: args as Record<string, unknown> });
    expect((await price({ zone: 'europe', grams: 1_200 })).content).toMatchObject([{ text: '1139' }]);
    expect(await price({ zone: 'europe', grams: 0 })).toMatchObject({ isError: true });
    expect((await price({ zone: 'moon', grams: 1 })).content).toMatchObject([
      { text: 'There is no zone moon; the zones are home, europe' },
    ]);
  });

  test('is deployed with the tariff that is tried here', () => {
    const deployed = /^TARIFF = '(.*)'$/m.exec(readFileSync(`${APP}/wrangler.toml`, 'utf8'))?.[1] ?? '';
    const local = /name = "TARIFF", text = (".*")\)/.exec(readFileSync(`${APP}/config.capnp`, 'utf8'))?.[1];
    expect(JSON.parse(String(JSON.parse(local ?? '""')))).toEqual(JSON.parse(deployed));
  });
});
