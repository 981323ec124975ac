import { Service, Tool } from '@sigil/core';
import { BookList } from '../dto/book-list.js';
import { BookQuery } from '../dto/book-query.js';
import { Catalog } from '../services/catalog.js';

@Service()
export class SearchBooks {
  constructor(private readonly catalog: Catalog) {}

  @Tool({ description: 'Searches the catalogue', readOnly: true, openWorld: false })
  searchBooks({ words, subject, limit }: BookQuery): BookList {
    return { books: this.catalog.search(words, subject).slice(0, limit) };
  }
}
