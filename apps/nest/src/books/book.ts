import { Describe } from '@sigil/core';
import { IsInt, IsNotEmpty, IsOptional, IsString, Max, Min } from 'class-validator';

/** A book on the shelves. */
export class Book {
  @IsString()
  isbn!: string;

  @IsString()
  title!: string;

  @IsInt()
  @Describe('Copies on the shelf')
  copies!: number;
}

/** The arguments of a search. */
export class BookSearch {
  @IsString()
  @IsNotEmpty()
  @Describe('Words of the title')
  words!: string;
}

/** The arguments of an order. */
export class BookOrder {
  @IsString()
  @Describe('The ISBN, as a search gives it')
  isbn!: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(10)
  copies: number = 1;
}
