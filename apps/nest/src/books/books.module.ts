import { Module } from '@nestjs/common';
import { BooksController } from './books.controller.js';
import { BooksService } from './books.service.js';
import { BooksTools } from './books.tools.js';

/** The module of the books. Sigil finds the tools among the providers without further configuration. */
@Module({ controllers: [BooksController], providers: [BooksService, BooksTools] })
export class BooksModule {}
