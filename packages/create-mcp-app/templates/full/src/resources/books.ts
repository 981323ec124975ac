import { Complete, Param, Resource, Service } from '@sigil/core';
import type { Book } from '../dto/book.js';
import { Catalog } from '../services/catalog.js';

@Service()
export class Books {
  constructor(private readonly catalog: Catalog) {}

  @Resource('library://books/{id}', {
    description: 'One book of the catalogue',
    mimeType: 'application/json',
  })
  book(@Param('id', { description: 'Id of the book' }) id: string): Book | undefined {
    return this.catalog.byId(id);
  }

  @Complete('library://books/{id}', 'id')
  ids(prefix: string): string[] {
    return this.catalog.ids().filter((id) => id.startsWith(prefix));
  }
}
