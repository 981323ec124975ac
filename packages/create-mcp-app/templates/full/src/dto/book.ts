import { Describe } from '@sigil/core';
import { IsInt, IsString, Min } from 'class-validator';

export class Book {
  @Describe('Id of the book, such as "night-sky"')
  @IsString()
  id!: string;

  @Describe('Title')
  @IsString()
  title!: string;

  @Describe('Author')
  @IsString()
  author!: string;

  @Describe('Subject, which is also the shelf it stands on')
  @IsString()
  subject!: string;

  @Describe('Copies the library owns')
  @IsInt()
  @Min(0)
  copies!: number;
}
