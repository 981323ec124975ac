import { Describe } from '@sigil/core';
import { IsIn, IsInt, IsNotEmpty, IsString, Max, Min } from 'class-validator';

/** The arguments of the tool `return_items`. */
export class ReturnRequest {
  @Describe('Id of the order; upper or lower case', { examples: ['SO-10421'] })
  @IsString()
  @IsNotEmpty()
  orderId!: string;

  @Describe('Stock keeping unit of the product; upper or lower case', { examples: ['TNT-1002'] })
  @IsString()
  @IsNotEmpty()
  sku!: string;

  @Describe('Pieces that the customer sends back')
  @IsInt()
  @Min(1)
  @Max(10_000)
  quantity!: number;

  @Describe('Why the customer sends them back')
  @IsIn(['damaged', 'unwanted', 'wrong item'])
  reason!: 'damaged' | 'unwanted' | 'wrong item';
}
