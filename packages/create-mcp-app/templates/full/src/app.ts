import { type App, type AppOptions, createApp } from '@sigil/core';
import { logDuration } from './middleware/log-duration.js';
import { RecommendBooks } from './prompts/recommend-books.js';
import { Books } from './resources/books.js';
import { LendBooks } from './tools/lend-books.js';
import { ReturnBooks } from './tools/return-books.js';
import { SearchBooks } from './tools/search-books.js';
import { TakeStock } from './tools/take-stock.js';

/** @param overrides what is different in a test, such as another clock. */
export function createServer(overrides: Pick<AppOptions, 'providers'> = {}): Promise<App> {
  return createApp({
    name: 'template-full',
    version: '0.1.0',
    instructions: 'The lending desk of a library. Search for books before lending them.',
    services: [SearchBooks, LendBooks, ReturnBooks, TakeStock, Books, RecommendBooks],
    middleware: [logDuration],
    ...overrides,
  });
}
