import { Describe } from '@sigil/core';
import { IsInt, IsNotEmpty, IsOptional, IsString, Max, Min } from 'class-validator';

/** What `reserve_stock` is asked. */
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

  @Describe('Code of the warehouse to take them from; when left out, as many warehouses as needed share')
  @IsOptional()
  @IsString()
  warehouse?: string;
}
