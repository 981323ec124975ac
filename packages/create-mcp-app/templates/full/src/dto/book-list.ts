import { Describe } from '@sigil/core';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { Book } from './book.js';

export class BookList {
  @Describe('The books found, best match first')
  @Type(() => Book)
  @ValidateNested({ each: true })
  books!: Book[];
}
