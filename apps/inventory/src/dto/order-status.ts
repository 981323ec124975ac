import { Describe } from '@sigil/core';
import { IsBoolean, IsInt, IsNumber, IsString, Min } from 'class-validator';

/** The result of the tool `order_status`. */
export class OrderStatus {
  @Describe('Id of the order')
  @IsString()
  orderId!: string;

  @Describe('Status of the order: open, packed, shipped or delivered')
  @IsString()
  status!: string;

  @Describe('When the order was placed, in ISO 8601')
  @IsString()
  placedAt!: string;

  @Describe('Number of ordered pieces')
  @IsInt()
  @Min(1)
  pieces!: number;

  @Describe('Number of ordered pieces that the customer has sent back')
  @IsInt()
  @Min(0)
  returned!: number;

  @Describe('Price of the order in euros')
  @IsNumber()
  @Min(0)
  total!: number;

  @Describe('Whether pieces of this order can be returned with return_items')
  @IsBoolean()
  returnable!: boolean;
}
