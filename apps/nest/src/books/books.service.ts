import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import type { Book } from './book.js';

/** The books of the shop. Routes and tools share this service and its exceptions. */
@Injectable()
export class BooksService {
  readonly #books = new Map<string, Book>(
    [
      { isbn: '978-0-00-000001-1', title: 'The Stars at Noon', copies: 3 },
      { isbn: '978-0-00-000002-2', title: 'A Garden of Stars', copies: 1 },
      { isbn: '978-0-00-000003-3', title: 'Rivers', copies: 7 },
    ].map((book) => [book.isbn, book]),
  );

  search(words: string): Book[] {
    const wanted = words.toLowerCase().split(/\s+/);
    return [...this.#books.values()].filter(({ title }) =>
      wanted.every((word) => title.toLowerCase().includes(word)),
    );
  }

  find(isbn: string): Book {
    const book = this.#books.get(isbn);
    if (!book) throw new NotFoundException(`There is no book ${isbn}: search for it first`);
    return book;
  }

  /** Takes copies from the shelf. If the number is negative, copies are added. */
  take(isbn: string, copies: number): Book {
    const book = this.find(isbn);
    if (book.copies < copies) throw new ConflictException(`There are only ${book.copies} of ${book.title}`);
    const left = { ...book, copies: book.copies - copies };
    this.#books.set(isbn, left);
    return left;
  }

  isbns(): string[] {
    return [...this.#books.keys()];
  }
}
