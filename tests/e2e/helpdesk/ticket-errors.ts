export class TicketNotFound extends Error {
  constructor(readonly id: number) {
    super(`no row in tickets with id ${id}`);
  }
}

export class TicketClosed extends Error {
  constructor(
    readonly id: number,
    readonly solution: string,
  ) {
    super(`ticket ${id} has a solution`);
  }
}
