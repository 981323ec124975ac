import { Describe } from '@sigil/core';
import { Type } from 'class-transformer';
import { IsInt, IsString, Min, ValidateNested } from 'class-validator';

export class ShelfCount {
  @Describe('Subject of the shelf')
  @IsString()
  subject!: string;

  @Describe('Copies that stand on it')
  @IsInt()
  @Min(0)
  copies!: number;
}

export class StockReport {
  @Describe('One count for each shelf')
  @Type(() => ShelfCount)
  @ValidateNested({ each: true })
  shelves!: ShelfCount[];

  @Describe('Copies on all shelves together')
  @IsInt()
  @Min(0)
  total!: number;
}
