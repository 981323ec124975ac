import { Describe } from '@sigil/core';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsEmail,
  IsInt,
  IsNotEmpty,
  IsString,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';

export class Reader {
  @Describe('Full name')
  @IsString()
  @IsNotEmpty()
  name!: string;

  @Describe('E-mail address for reminders')
  @IsEmail()
  email!: string;
}

export class LoanItem {
  @Describe('Id of the book')
  @IsString()
  bookId!: string;

  @Describe('Days the reader keeps it')
  @IsInt()
  @Min(1)
  @Max(28)
  days: number = 14;
}

export class LoanRequest {
  @Describe('Who borrows')
  @Type(() => Reader)
  @ValidateNested()
  reader!: Reader;

  // The decorator metadata only contains the type Array. @Type adds the class of the elements.
  @Describe('The borrowed books')
  @Type(() => LoanItem)
  @ValidateNested({ each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(5)
  items!: LoanItem[];
}
