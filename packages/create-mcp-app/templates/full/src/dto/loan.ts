import { Describe } from '@sigil/core';
import { Type } from 'class-transformer';
import { IsDateString, IsString, ValidateNested } from 'class-validator';

export class LoanedBook {
  @Describe('Id of the book')
  @IsString()
  bookId!: string;

  @Describe('Title')
  @IsString()
  title!: string;

  @Describe('Day it is due, such as 2026-03-15')
  @IsDateString()
  due!: string;
}

export class Loan {
  @Describe('Id of the loan, to quote on return')
  @IsString()
  id!: string;

  @Describe('Name of the reader')
  @IsString()
  reader!: string;

  @Describe('The books on loan')
  @Type(() => LoanedBook)
  @ValidateNested({ each: true })
  books!: LoanedBook[];
}
