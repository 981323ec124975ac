import { Complete, CompletionContext, Param, Resource, ResourceContext, Service } from '@sigil/core';
import { type ResourceContents, resourceContents } from '@sigil/core/content';

const BOOK = 'library://{shelf}/{book}{?page,format}';

const SHELVES: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> = new Map([
  ['novels', new Map([['moby-dick', ['Call me Ishmael.', 'There she blows!']]])],
  [
    'poems',
    new Map([
      ['jabberwocky', ['Twas brillig, and the slithy toves']],
      ['the-raven', ['Once upon a midnight dreary', 'Nevermore.']],
    ]),
  ],
]);

/** A resource template with required and optional variables, and completions for them. */
@Service()
export class Library {
  @Resource(BOOK, { title: 'Book', description: 'A page of a book, as text or JSON' })
  book(
    @Param('shelf') shelf: string,
    @Param('book') book: string,
    @Param('page', { type: 'integer', minimum: 1, default: 1 }) page: number,
    @Param('format', { enum: ['text', 'json'], default: 'text' }) format: string,
    { uri }: ResourceContext,
  ): ResourceContents | undefined {
    const text = SHELVES.get(shelf)?.get(book)?.[page - 1];
    if (text === undefined) return undefined;
    if (format === 'json')
      return resourceContents.text(uri, JSON.stringify({ shelf, book, page, text }), 'application/json');
    return resourceContents.text(uri, text);
  }

  @Complete(BOOK, 'shelf')
  shelves(prefix: string): string[] {
    return [...SHELVES.keys()].filter((name) => name.startsWith(prefix));
  }

  @Complete(BOOK, 'book')
  books(prefix: string, { args: { shelf } }: CompletionContext): string[] {
    const shelves =
      shelf === undefined ? [...SHELVES.values()] : [SHELVES.get(shelf) ?? new Map<string, never>()];
    return shelves.flatMap((books) => [...books.keys()]).filter((name) => name.startsWith(prefix));
  }
}
