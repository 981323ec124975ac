import { Describe } from '@sigil/core';
import { IsNotEmpty, IsOptional, IsString } from 'class-validator';

/** The arguments of the tool `check_inventory`. */
export class StockQuery {
  @Describe('Stock keeping unit of the product; upper or lower case', { examples: ['TNT-1002'] })
  @IsString()
  @IsNotEmpty()
  sku!: string;

  @Describe('Code of the warehouse to check; if left out, all are checked', { examples: ['RTM-01'] })
  @IsOptional()
  @IsString()
  warehouse?: string;
}
