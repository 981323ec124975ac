import { Service, ToolError } from '@sigil/core';
import type { Loan, LoanedBook } from '../dto/loan.js';
import type { LoanItem, LoanRequest } from '../dto/loan-request.js';
import { Catalog } from './catalog.js';
import { Clock } from './clock.js';

const DAY_MS = 86_400_000;

@Service()
export class Loans {
  private readonly open = new Map<string, Loan>();
  private lent = 0;

  constructor(
    private readonly catalog: Catalog,
    private readonly clock: Clock,
  ) {}

  /** @throws ToolError if a book is unknown, or if all its copies are lent. */
  lend({ reader, items }: LoanRequest): Loan {
    const books = items.map((item) => this.pick(item, items));
    const loan: Loan = { id: `L-${++this.lent}`, reader: reader.name, books };
    this.open.set(loan.id, loan);
    return loan;
  }

  /** @throws ToolError if there is no such loan. */
  get(id: string): Loan {
    const loan = this.open.get(id);
    // The model receives the message of a ToolError. For any other error, it receives only a general message.
    if (!loan) throw new ToolError(`There is no open loan ${id}`);
    return loan;
  }

  close(id: string): void {
    this.open.delete(id);
  }

  /** Returns the number of copies of a book that are lent. */
  copiesOut(bookId: string): number {
    const books = [...this.open.values()].flatMap((loan) => loan.books);
    return books.filter((book) => book.bookId === bookId).length;
  }

  private pick({ bookId, days }: LoanItem, items: readonly LoanItem[]): LoanedBook {
    const book = this.catalog.byId(bookId);
    if (!book) throw new ToolError(`There is no book "${bookId}"; search_books finds ids`);
    const asked = items.filter((item) => item.bookId === bookId).length;
    if (this.copiesOut(bookId) + asked > book.copies)
      throw new ToolError(`No copy of "${book.title}" is left`);
    return { bookId, title: book.title, due: this.daysFromNow(days) };
  }

  private daysFromNow(days: number): string {
    return new Date(this.clock.now().getTime() + days * DAY_MS).toISOString().slice(0, 10);
  }
}
