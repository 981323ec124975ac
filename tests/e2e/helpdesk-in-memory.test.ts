import { describe, expect, test } from '@jest/globals';
import { type PublicOf, provide } from '@sigil/core';
import { testApp, type TestApp, type TestAppOptions, textOf } from '@sigil/testing';
import { Pool } from 'pg';
import { helpdesk } from './helpdesk/app.js';
import { type AuditEntry, AuditLog } from './helpdesk/audit.js';
import { CustomerRepository } from './helpdesk/customer-repository.js';
import type { Customer } from './helpdesk/customers.js';
import type { OpenTicket, Ticket, UpdateTicket } from './helpdesk/ticket.js';
import { TicketNotFound } from './helpdesk/ticket-errors.js';
import { TicketRepository } from './helpdesk/ticket-repository.js';

class FakeCustomers implements PublicOf<CustomerRepository> {
  readonly #rows: Customer[] = [{ id: 1, name: 'Grace' }];

  async add(name: string): Promise<Customer> {
    const customer = { id: this.#rows.length + 1, name };
    this.#rows.push(customer);
    return customer;
  }

  async get(id: number): Promise<Customer | undefined> {
    return this.#rows.find((row) => row.id === id);
  }

  async find(name: string): Promise<Customer[]> {
    return this.#rows.filter((row) => row.name.includes(name));
  }
}

class FakeTickets implements PublicOf<TicketRepository> {
  readonly #rows: Ticket[] = [];

  async open(ticket: OpenTicket, openedBy: string): Promise<Ticket> {
    const opened = { ...ticket, id: this.#rows.length + 1, openedBy };
    this.#rows.push(opened);
    return opened;
  }

  async get(id: number): Promise<Ticket | undefined> {
    return this.#rows.find((row) => row.id === id);
  }

  async update(changes: UpdateTicket): Promise<Ticket> {
    return Object.assign(await this.#one(changes.id), changes);
  }

  async close(id: number, solve: (ticket: Ticket) => Promise<string | undefined>): Promise<Ticket> {
    const ticket = await this.#one(id);
    const solution = await solve(ticket);
    return solution === undefined ? ticket : Object.assign(ticket, { solution });
  }

  async #one(id: number): Promise<Ticket> {
    const ticket = await this.get(id);
    if (!ticket) throw new TicketNotFound(id);
    return ticket;
  }
}

/** The helpdesk with everything that would need a database replaced. */
async function start(options: TestAppOptions = {}): Promise<TestApp & { readonly audit: AuditEntry[] }> {
  const audit: AuditEntry[] = [];
  const server = await testApp({
    ...helpdesk,
    override: [
      // A pool connects when it is first used.
      provide(Pool, new Pool()),
      provide(CustomerRepository, new FakeCustomers()),
      provide(TicketRepository, new FakeTickets()),
      provide(AuditLog, { write: async (entry) => void audit.push(entry) }),
    ],
    principal: { id: 'ada', scopes: ['reader', 'agent'] },
    ...options,
  });
  return Object.assign(server, { audit });
}

describe('the helpdesk in memory', () => {
  test('opens a ticket for the principal, and audits it', async () => {
    await using server = await start();
    const opened = await server.client.callTool('open_ticket', { customer: 1, title: 'Broken lamp' });
    const ticket = { id: 1, customer: 1, title: 'Broken lamp', priority: 'normal' };
    expect(opened.structuredContent).toEqual({ ...ticket, openedBy: 'ada with sigil-testing' });
    expect(server.audit).toMatchObject([{ principal: 'ada', definition: 'open_ticket', outcome: 'done' }]);
  });

  test('has its validators ask the repository that the test gives', async () => {
    await using server = await start();
    const ask = async (customer: number): Promise<string> =>
      textOf(await server.client.callTool('open_ticket', { customer, title: 'Broken lamp' }));
    expect(await ask(2)).toContain('customer must be the id of a customer');
    await server.client.callTool('crm_add_customer', { name: 'Alan' });
    expect(await ask(2)).toContain('"customer":2');
  });

  test('hides from readers what is for agents', async () => {
    await using server = await start({ principal: { id: 'bob', scopes: ['reader'] } });
    const tools = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['crm_find_customers']);
    await expect(server.client.callTool('close_ticket', { id: 1 })).rejects.toMatchObject({ code: -32602 });
    const stranger = await server.connect({ principal: { id: 'eve' } });
    expect(await stranger.listTools()).toEqual([]);
  });

  test('tells subscribers that a ticket has changed', async () => {
    await using server = await start();
    await server.client.callTool('open_ticket', { customer: 1, title: 'Broken lamp' });
    await server.client.subscribe('tickets://1');
    await server.client.callTool('update_ticket', { id: 1, title: 'Broken light' });
    const { params } = await server.client.waitFor('notifications/resources/updated');
    expect(params).toMatchObject({ uri: 'tickets://1' });
  });

  test.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    'asks how a ticket was solved in %s',
    async (revision) => {
      const asked: string[] = [];
      await using server = await start({
        client: {
          revision,
          onElicit: ({ message }) => {
            asked.push(message);
            return { action: 'accept', content: { solution: 'Bought a new one' } };
          },
        },
      });
      await server.client.callTool('open_ticket', { customer: 1, title: 'Broken lamp' });
      const closed = await server.client.callTool('close_ticket', { id: 1 });
      expect(closed.structuredContent).toMatchObject({ solution: 'Bought a new one' });
      expect(asked).toEqual(['How was "Broken lamp" solved?']);
      expect(textOf(await server.client.callTool('close_ticket', { id: 7 }))).toBe('There is no ticket 7');
      expect(server.logs).toEqual([]);
    },
  );
});
