import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Program, programOf, startProgram } from './frameworks/program.js';

const APP = 'apps/workers';
const WORKERD = programOf('@cloudflare/workerd-linux-64', 'bin/workerd');

(WORKERD === undefined ? describe.skip : describe)('apps/workers, in workerd where that is installed', () => {
  let worker: Program;
  let client: Client;

  beforeAll(async () => {
    const args = ['serve', `${APP}/config.capnp`, '--socket-addr', 'http=127.0.0.1:0', '--control-fd=3'];
    worker = startProgram(WORKERD ?? '', args, {}, { from: 3 });
    const { port } = JSON.parse(await worker.line('{"event":"listen"')) as { port: number };
    client = new Client({ name: 'reader', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  });

  afterAll(async () => {
    await client.close();
    await worker.kill();
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
