import { Describe } from '@sigil/core';
import { IsEnum, IsInt, IsISO8601, IsNumber, IsString, Min } from 'class-validator';
import { Shipping } from './order.js';

/** The price of an order. */
export class Quote {
  @Describe('Number of articles')
  @IsInt()
  @Min(1)
  articles!: number;

  @Describe('In euros')
  @IsNumber()
  @Min(0)
  total!: number;

  @IsEnum(Shipping)
  shipping!: Shipping;
}

/** A placed order. */
export class Receipt extends Quote {
  @IsString()
  orderId!: string;

  @IsISO8601()
  placedAt!: string;
}
