import { Module } from '@nestjs/common';
import { BooksController } from './books.controller.js';
import { BooksService } from './books.service.js';
import { BooksTools } from './books.tools.js';

/** The books. Nothing has to say that there are tools among the providers. */
@Module({ controllers: [BooksController], providers: [BooksService, BooksTools] })
export class BooksModule {}
