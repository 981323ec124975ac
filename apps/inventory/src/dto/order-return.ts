import { Describe } from '@sigil/core';
import { IsInt, IsNumber, IsString, Min } from 'class-validator';

/** The result of the tool `return_items`. */
export class OrderReturn {
  @Describe('Id of the return, to quote to the customer')
  @IsString()
  returnId!: string;

  @Describe('Id of the order')
  @IsString()
  orderId!: string;

  @Describe('Stock keeping unit, spelled as in the catalogue')
  @IsString()
  sku!: string;

  @Describe('Pieces that the customer sends back')
  @IsInt()
  @Min(1)
  quantity!: number;

  @Describe('What the customer gets back, in euros')
  @IsNumber()
  @Min(0)
  refund!: number;
}
