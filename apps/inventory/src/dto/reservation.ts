import { Describe } from '@sigil/core';
import { Type } from 'class-transformer';
import { IsInt, IsString, Min, ValidateNested } from 'class-validator';
import { WarehouseStock } from './warehouse-stock.js';

/** The result of the tool `reserve_stock`. */
export class Reservation {
  @Describe('Id of the reservation, to quote to the customer')
  @IsString()
  reservationId!: string;

  @Describe('Stock keeping unit, spelled as in the catalogue')
  @IsString()
  sku!: string;

  @Describe('Pieces reserved')
  @IsInt()
  @Min(1)
  quantity!: number;

  @Describe('How many pieces come from each warehouse')
  @Type(() => WarehouseStock)
  @ValidateNested({ each: true })
  taken!: WarehouseStock[];

  @Describe('Pieces that can still be reserved, in all warehouses together')
  @IsInt()
  @Min(0)
  left!: number;
}
