import {
  App,
  Arg,
  defineModule,
  inject,
  mapError,
  Param,
  Resource,
  Service,
  Tool,
  ToolContext,
  ToolError,
} from '@sigil/core';
import { Caller } from './caller.js';
import { customers } from './customers.js';
import { Roles } from './roles.js';
import { OpenTicket, Solution, Ticket, UpdateTicket } from './ticket.js';
import { TicketClosed, TicketNotFound } from './ticket-errors.js';
import { TicketRepository } from './ticket-repository.js';

@Service({ scope: 'request' })
@Roles('agent')
class TicketTools {
  private readonly app = inject(App);

  constructor(
    private readonly tickets: TicketRepository,
    private readonly caller: Caller,
  ) {}

  @Tool({ description: 'Opens a ticket for a customer', output: Ticket })
  openTicket(ticket: OpenTicket): Promise<Ticket> {
    return this.tickets.open(ticket, this.caller.signature);
  }

  @Tool({
    description: 'Changes a ticket; what is left out stays as it is',
    idempotent: true,
    output: Ticket,
  })
  async updateTicket(changes: UpdateTicket): Promise<Ticket> {
    const ticket = await this.tickets.update(changes);
    this.app.notifyResourceUpdated(`tickets://${ticket.id}`);
    return ticket;
  }

  @Tool({ description: 'Closes a ticket, once the user has said how it was solved', output: Ticket })
  async closeTicket(@Arg('id', { type: 'integer' }) id: number, ctx: ToolContext): Promise<Ticket> {
    const ticket = await this.tickets.close(id, async ({ title }) => {
      const answer = await ctx.elicit(`How was "${title}" solved?`, Solution);
      return answer.action === 'accept' ? answer.content.solution : undefined;
    });
    this.app.notifyResourceUpdated(`tickets://${id}`);
    return ticket;
  }

  @Resource('tickets://{id}', { description: 'One ticket' })
  @Roles('reader')
  ticket(@Param('id') id: number): Promise<Ticket | undefined> {
    return this.tickets.get(id);
  }
}

export const tickets = defineModule({
  name: 'tickets',
  imports: [customers],
  services: [TicketTools],
  errors: [
    mapError(TicketNotFound, ({ id }) => new ToolError(`There is no ticket ${id}`)),
    mapError(TicketClosed, ({ id, solution }) => new ToolError(`Ticket ${id} was closed: ${solution}`)),
  ],
});
