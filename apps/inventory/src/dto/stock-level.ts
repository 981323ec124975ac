import { Describe } from '@sigil/core';
import { Type } from 'class-transformer';
import { IsInt, IsString, Min, ValidateNested } from 'class-validator';
import { WarehouseStock } from './warehouse-stock.js';

/** The result of the tool `check_inventory`. */
export class StockLevel {
  @Describe('Stock keeping unit, spelled as in the catalogue')
  @IsString()
  sku!: string;

  @Describe('Pieces that can be reserved now: the sum over the listed warehouses')
  @IsInt()
  @Min(0)
  quantity!: number;

  @Describe('Stock by warehouse, empty warehouses included')
  @Type(() => WarehouseStock)
  @ValidateNested({ each: true })
  warehouses!: WarehouseStock[];
}
