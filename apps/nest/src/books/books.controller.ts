import { Controller, Get, Param } from '@nestjs/common';
import type { Book } from './book.js';
import { BooksService } from './books.service.js';

/** A REST route, which works without MCP. */
@Controller('books')
export class BooksController {
  constructor(private readonly books: BooksService) {}

  @Get(':isbn')
  book(@Param('isbn') isbn: string): Book {
    return this.books.find(isbn);
  }
}
