import { Describe } from '@sigil/core';
import { IsInt, IsString, Min } from 'class-validator';

/** The number of pieces of one product in one warehouse. */
export class WarehouseStock {
  @Describe('Code of the warehouse')
  @IsString()
  code!: string;

  @Describe('Number of pieces')
  @IsInt()
  @Min(0)
  quantity!: number;
}
