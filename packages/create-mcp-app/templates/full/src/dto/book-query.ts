import { Describe } from '@sigil/core';
import { IsInt, IsNotEmpty, IsOptional, IsString, Max, Min } from 'class-validator';

export class BookQuery {
  @Describe('Words to look for in title and author', { examples: ['stars'] })
  @IsString()
  @IsNotEmpty()
  words!: string;

  @Describe('Subject to stay within; all of them when left out')
  @IsOptional()
  @IsString()
  subject?: string;

  @Describe('Most books to return')
  @IsInt()
  @Min(1)
  @Max(20)
  limit: number = 5;
}
