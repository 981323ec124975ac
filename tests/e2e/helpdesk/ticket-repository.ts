import { Service } from '@sigil/core';
import { Database } from './database.js';
import type { OpenTicket, Ticket, UpdateTicket } from './ticket.js';
import { TicketClosed, TicketNotFound } from './ticket-errors.js';

interface Row extends Omit<Ticket, 'solution'> {
  readonly solution: string | null;
}

const COLUMNS = 'id, customer, title, priority, opened_by as "openedBy", solution';

@Service()
export class TicketRepository {
  constructor(private readonly database: Database) {}

  async open({ customer, title, priority }: OpenTicket, openedBy: string): Promise<Ticket> {
    const rows = await this.database.rows<Row>(
      `insert into tickets (customer, title, priority, opened_by) values ($1, $2, $3, $4) returning ${COLUMNS}`,
      [customer, title, priority, openedBy],
    );
    return one(rows, 0);
  }

  async get(id: number): Promise<Ticket | undefined> {
    const [row] = await this.database.rows<Row>(`select ${COLUMNS} from tickets where id = $1`, [id]);
    return row && toTicket(row);
  }

  /** Changes what is given and leaves the rest. */
  async update({ id, customer, title, priority }: UpdateTicket): Promise<Ticket> {
    const rows = await this.database.rows<Row>(
      `update tickets set customer = coalesce($2, customer), title = coalesce($3, title),
       priority = coalesce($4, priority) where id = $1 returning ${COLUMNS}`,
      [id, customer, title, priority],
    );
    return one(rows, id);
  }

  /**
   * Closes a ticket, which is locked until `solve` has said how it was solved.
   *
   * @param solve gives `undefined` to leave the ticket open.
   */
  async close(id: number, solve: (ticket: Ticket) => Promise<string | undefined>): Promise<Ticket> {
    return this.database.transaction(async (connection) => {
      const locked = await connection.query<Row>(`select ${COLUMNS} from tickets where id = $1 for update`, [
        id,
      ]);
      const ticket = one(locked.rows, id);
      if (ticket.solution !== undefined) throw new TicketClosed(id, ticket.solution);
      const solution = await solve(ticket);
      if (solution === undefined) return ticket;
      await connection.query('update tickets set solution = $2 where id = $1', [id, solution]);
      return { ...ticket, solution };
    });
  }
}

function one([row]: readonly Row[], id: number): Ticket {
  if (!row) throw new TicketNotFound(id);
  return toTicket(row);
}

function toTicket({ solution, ...row }: Row): Ticket {
  return solution === null ? row : { ...row, solution };
}
