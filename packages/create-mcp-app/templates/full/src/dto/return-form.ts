import { Describe } from '@sigil/core';
import { IsIn, IsOptional, IsString } from 'class-validator';

export class ReturnForm {
  @Describe('Condition of the books')
  @IsIn(['good', 'worn', 'damaged'])
  condition!: string;

  @Describe('A note for the next reader')
  @IsOptional()
  @IsString()
  note?: string;
}
