import { Describe } from '@sigil/core';
import { IsIn, IsOptional, IsString } from 'class-validator';

export class ReturnForm {
  @Describe('Condition of the books')
  @IsIn(['good', 'worn', 'damaged'])
  condition!: string;

  @Describe('What the next reader should know')
  @IsOptional()
  @IsString()
  note?: string;
}
