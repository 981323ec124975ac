import { Injectable, Logger, UseInterceptors } from '@nestjs/common';
import { Arg, Complete, Param, Prompt, Resource, Tool, ToolContext } from '@sigil/core';
import { StaffOnly } from '../staff.guard.js';
import { Book, BookOrder, BookSearch } from './book.js';
import { BooksService } from './books.service.js';
import { Timing } from './timing.interceptor.js';

/** The MCP tools, resource and prompt of the shop. */
@Injectable()
@UseInterceptors(Timing)
export class BooksTools {
  readonly #logger = new Logger(BooksTools.name);

  constructor(private readonly books: BooksService) {}

  @Tool({ description: 'Finds books by words of their titles', readOnly: true, output: [Book] })
  searchBooks({ words }: BookSearch): Book[] {
    return this.books.search(words);
  }

  @Tool({ description: 'Orders a book', output: Book })
  orderBook({ isbn, copies }: BookOrder, ctx: ToolContext): Book {
    this.#logger.log(`${ctx.principal?.id ?? 'a customer'} orders ${copies} of ${isbn}`);
    return this.books.take(isbn, copies);
  }

  @Tool({ description: 'Puts copies on the shelf', output: Book })
  @StaffOnly()
  restock(@Arg('isbn') isbn: string, @Arg('copies', { minimum: 1 }) copies: number): Book {
    return this.books.take(isbn, -copies);
  }

  @Resource('books://{isbn}', { description: 'One book', mimeType: 'application/json' })
  book(@Param('isbn') isbn: string): Book {
    return this.books.find(isbn);
  }

  @Complete('books://{isbn}', 'isbn')
  isbns(prefix: string): string[] {
    return this.books.isbns().filter((isbn) => isbn.startsWith(prefix));
  }

  @Prompt({ description: 'Recommends a book' })
  recommend(@Arg('mood') mood: string): string {
    return `Recommend a book from books:// for a reader who feels ${mood}.`;
  }
}
