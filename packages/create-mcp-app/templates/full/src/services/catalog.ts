import { Service } from '@sigil/core';
import type { Book } from '../dto/book.js';

const BOOKS: readonly Book[] = [
  { id: 'night-sky', title: 'A Year of Stars', author: 'Ines Aldana', subject: 'astronomy', copies: 2 },
  {
    id: 'red-dwarfs',
    title: 'Small Stars, Long Lives',
    author: 'Tomas Berg',
    subject: 'astronomy',
    copies: 1,
  },
  { id: 'sourdough', title: 'Bread Without Haste', author: 'Mina Okafor', subject: 'cooking', copies: 3 },
  { id: 'ferments', title: 'Salt and Time', author: 'Jun Takeda', subject: 'cooking', copies: 1 },
  { id: 'tide-pools', title: 'Between Two Tides', author: 'Ruth Calder', subject: 'nature', copies: 2 },
];

@Service()
export class Catalog {
  subjects(): string[] {
    return [...new Set(BOOKS.map(({ subject }) => subject))];
  }

  ids(): string[] {
    return BOOKS.map(({ id }) => id);
  }

  byId(id: string): Book | undefined {
    return BOOKS.find((book) => book.id === id);
  }

  on(subject: string): Book[] {
    return BOOKS.filter((book) => book.subject === subject);
  }

  search(words: string, subject?: string): Book[] {
    const wanted = words.toLowerCase().split(/\s+/);
    return (subject ? this.on(subject) : BOOKS).filter(({ title, author }) => {
      const text = `${title} ${author}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
  }
}
