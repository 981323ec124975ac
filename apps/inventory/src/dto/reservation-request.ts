import { Describe } from '@sigil/core';
import { IsInt, IsNotEmpty, IsOptional, IsString, Max, Min } from 'class-validator';

/** The arguments of the tool `reserve_stock`. */
export class ReservationRequest {
  @Describe('Stock keeping unit of the product; upper or lower case', { examples: ['TNT-1002'] })
  @IsString()
  @IsNotEmpty()
  sku!: string;

  @Describe('Pieces to reserve')
  @IsInt()
  @Min(1)
  @Max(10_000)
  quantity!: number;

  @Describe(
    'Code of the warehouse to take the pieces from; if left out, they can come from several warehouses',
  )
  @IsOptional()
  @IsString()
  warehouse?: string;
}
