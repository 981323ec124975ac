import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { PROTOCOL_VERSIONS } from '@sigil/core/protocol';
import { provide } from '@sigil/core';
import { testApp } from '@sigil/testing';
import { Client as PgClient, Pool } from 'pg';
import { compile } from '../docs/code-blocks.js';
import { helpdesk } from './helpdesk/app.js';
import { CustomerRepository } from './helpdesk/customer-repository.js';
import { DATABASE_URL } from './helpdesk/database.js';
import { TicketRepository } from './helpdesk/ticket-repository.js';
import { noPostgres, type Postgres, startPostgres } from './postgres.js';
import { endProcesses, ServerProcess, until } from './processes.js';

const SOURCES = fileURLToPath(new URL('helpdesk/', import.meta.url));
const AGENT_TOKEN = 'token-of-ada';
const READER_TOKEN = 'token-of-bob';
const SOLVED = { action: 'accept', content: { solution: 'Bought a new one' } } as const;

type Json = Record<string, unknown>;
type Mode = 'legacy' | { readonly pin: string };

/** Every way in which the official client reaches revisions that can ask the user. */
const MODES: readonly (readonly [string, Mode])[] = [
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
];

const describeWithPostgres = noPostgres === undefined ? describe : describe.skip;

describeWithPostgres(`the helpdesk over HTTP, on PostgreSQL${noPostgres ? ` (${noPostgres})` : ''}`, () => {
  let postgres: Postgres;
  let observer: PgClient;
  let server: ServerProcess;
  let address = '';
  const clients: Client[] = [];

  beforeAll(async () => {
    const files = readdirSync(SOURCES).map((name) => ({
      name,
      code: readFileSync(join(SOURCES, name), 'utf8'),
    }));
    const [dist, started] = await Promise.all([compile(files, 'helpdesk'), startPostgres()]);
    postgres = started;
    observer = new PgClient({ connectionString: postgres.url });
    await observer.connect();
    server = new ServerProcess(join(dist, 'main.js'), [], {
      DATABASE_URL: postgres.url,
      PORT: '0',
      AGENT_TOKEN,
      READER_TOKEN,
    });
    await until(() => server.stdout.includes('Listens on '));
    address = /http:\S+/.exec(server.stdout)?.[0] ?? '';
  }, 60_000);

  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await endProcesses();
    await observer?.end();
    await postgres?.stop();
  }, 20_000);

  async function connect(
    token: string,
    mode: Mode = { pin: '2026-07-28' },
    answer: Json = SOLVED,
  ): Promise<Client> {
    const info = { name: 'e2e-client', version: '1.0.0' };
    const client = new Client(info, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode },
    });
    client.setRequestHandler('elicitation/create', () => answer as typeof SOLVED);
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
    clients.push(client);
    return client;
  }

  const call = async (client: Client, name: string, args: Json = {}): Promise<Json> =>
    (await client.callTool({ name, arguments: args })) as Json;

  async function given(client: Client, title = 'Broken lamp'): Promise<{ customer: number; ticket: number }> {
    const { id: customer } = (await call(client, 'crm_add_customer', { name: 'Grace' }))[
      'structuredContent'
    ] as Json;
    const opened = await call(client, 'open_ticket', { customer, title });
    return { customer: Number(customer), ticket: Number((opened['structuredContent'] as Json)['id']) };
  }

  /** Connections of the app's pool that PostgreSQL sees at work or in a transaction. */
  async function inUse(): Promise<number> {
    const { rows } = await observer.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where application_name = 'helpdesk' and state <> 'idle'`,
    );
    return rows[0]?.n ?? -1;
  }

  const audited = async (definition: string): Promise<Json[]> =>
    (await observer.query<Json>('select * from audit where definition = $1 order by id', [definition])).rows;

  test('refuses callers without a token', async () => {
    await expect(connect('somebody')).rejects.toThrow();
  });

  test.each(MODES)('shows each role what it may use, and no private metadata, in %s', async (_, mode) => {
    const namesOf = async (token: string): Promise<string[]> => {
      const { tools } = await (await connect(token, mode)).listTools();
      expect(JSON.stringify(tools)).not.toMatch(/agent|reader/);
      return tools.map(({ name }) => name).sort();
    };
    expect(await namesOf(AGENT_TOKEN)).toEqual([
      'close_ticket',
      'crm_add_customer',
      'crm_find_customers',
      'open_ticket',
      'update_ticket',
    ]);
    expect(await namesOf(READER_TOKEN)).toEqual(['crm_find_customers']);
    const reader = await connect(READER_TOKEN, mode);
    await expect(call(reader, 'crm_add_customer', { name: 'Mallory' })).rejects.toThrow('crm_add_customer');
  });

  test.each(MODES)('opens, changes and shows a ticket in %s', async (_, mode) => {
    const agent = await connect(AGENT_TOKEN, mode);
    const { customer, ticket } = await given(agent, 'Broken lamp');
    const changed = await call(agent, 'update_ticket', { id: ticket, priority: 'high' });
    const expected = {
      id: ticket,
      customer,
      title: 'Broken lamp',
      priority: 'high',
      openedBy: 'ada with e2e-client',
    };
    expect(changed['structuredContent']).toEqual(expected);
    const reader = await connect(READER_TOKEN, mode);
    const { contents } = await reader.readResource({ uri: `tickets://${ticket}` });
    expect(JSON.parse((contents as { text: string }[])[0]?.text ?? '')).toEqual(expected);
    const shown = await reader.readResource({ uri: `customers://crm/${customer}` });
    expect(shown.contents).toMatchObject([{ text: JSON.stringify({ id: customer, name: 'Grace' }) }]);
    const ref = { type: 'ref/resource' as const, uri: 'customers://crm/{id}' };
    const { completion } = await reader.complete({ ref, argument: { name: 'id', value: String(customer) } });
    expect(completion.values).toContain(String(customer));
  });

  test('asks the database whether a customer is known, for new tickets and for changed ones', async () => {
    const agent = await connect(AGENT_TOKEN);
    const { ticket } = await given(agent);
    for (const [name, args] of [
      ['open_ticket', { customer: 4711, title: 'Broken lamp' }],
      ['update_ticket', { id: ticket, customer: 4711 }],
    ] as const) {
      expect(await call(agent, name, args)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('customer must be the id of a customer') }],
      });
    }
  });

  test('says in words of the helpdesk what a domain error means', async () => {
    const agent = await connect(AGENT_TOKEN);
    expect(await call(agent, 'update_ticket', { id: 4711, title: 'No such thing' })).toMatchObject({
      isError: true,
      content: [{ text: 'There is no ticket 4711' }],
    });
    const { ticket } = await given(agent);
    await call(agent, 'close_ticket', { id: ticket });
    expect(await call(agent, 'close_ticket', { id: ticket })).toMatchObject({
      isError: true,
      content: [{ text: `Ticket ${ticket} was closed: Bought a new one` }],
    });
    // Middleware sees the domain error, before it is put into words.
    expect((await audited('close_ticket')).at(-1)).toMatchObject({ args: { id: ticket }, outcome: 'failed' });
  });

  test('writes down who called what with which arguments, and what came of it', async () => {
    const agent = await connect(AGENT_TOKEN);
    const before = (await audited('open_ticket')).length;
    const { customer, ticket } = await given(agent, 'Loud fan');
    await call(agent, 'open_ticket', { customer: 4711, title: 'Never checked' });
    // The arguments of the second call were refused before any middleware ran.
    expect((await audited('open_ticket')).slice(before)).toMatchObject([
      {
        principal: 'ada',
        args: { customer, title: 'Loud fan', priority: 'normal' },
        outcome: 'done',
        result: { id: ticket, title: 'Loud fan' },
      },
    ]);
  });

  test.each(MODES)('leaves no connection in use, however often it asks, in %s', async (version, mode) => {
    const agent = await connect(AGENT_TOKEN, mode);
    const before = (await audited('close_ticket')).length;
    // The pool has two connections: one that leaked would stop the third call.
    for (let round = 0; round < 5; round += 1) {
      const { ticket } = await given(agent);
      const { structuredContent } = await call(agent, 'close_ticket', { id: ticket });
      expect(structuredContent).toMatchObject({ id: ticket, solution: 'Bought a new one' });
    }
    expect(await inUse()).toBe(0);
    const outcomes = (await audited('close_ticket')).slice(before).map(({ outcome }) => outcome);
    const each = version === '2026-07-28' ? ['asked', 'done'] : ['done'];
    expect(outcomes).toEqual(Array.from({ length: 5 }, () => each).flat());
  });

  test.each(MODES)('leaves a ticket open when the user declines, in %s', async (_, mode) => {
    const agent = await connect(AGENT_TOKEN, mode, { action: 'decline' });
    const { ticket } = await given(agent);
    const { structuredContent } = await call(agent, 'close_ticket', { id: ticket });
    expect(structuredContent).not.toHaveProperty('solution');
    expect(await inUse()).toBe(0);
  });

  test.each(PROTOCOL_VERSIONS)(
    'has every connection back in its pool after calls that ask in %s',
    async (revision) => {
      await using desk = await testApp({
        ...helpdesk,
        override: [provide(DATABASE_URL, postgres.url)],
        principal: { id: 'ada', scopes: ['reader', 'agent'] },
        client: { revision, onElicit: () => SOLVED },
      });
      const { id: customer } = await (await desk.get(CustomerRepository)).add('Grace');
      const { id } = await (
        await desk.get(TicketRepository)
      ).open({ customer, title: 'Lamp', priority: 'low' }, 'ada');
      const asks = revision >= '2025-06-18';
      for (let round = 0; round < 3; round += 1) {
        // Older clients cannot show forms, which fails in the middle of the transaction.
        if (asks) await desk.client.callTool('close_ticket', { id });
        else await expect(desk.client.callTool('close_ticket', { id })).rejects.toThrow('cannot show forms');
        const pool = await desk.get(Pool);
        expect({ inUse: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }).toEqual({
          inUse: 0,
          waiting: 0,
        });
      }
      expect(await (await desk.get(TicketRepository)).get(id)).toMatchObject(asks ? SOLVED.content : { id });
    },
  );

  test('ends the pool when it is told to stop', async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0 });
    const { rows } = await observer.query(
      `select 1 from pg_stat_activity where application_name = 'helpdesk'`,
    );
    expect(rows).toEqual([]);
  });
});
