import { Describe } from '@sigil/core';
import { IsBoolean, IsInt, IsNumber, IsString, Min } from 'class-validator';

/** What `order_status` answers. */
export class OrderStatus {
  @Describe('Id of the order')
  @IsString()
  orderId!: string;

  @Describe('How far the order is: open, packed, shipped or delivered')
  @IsString()
  status!: string;

  @Describe('When the order was placed, in ISO 8601')
  @IsString()
  placedAt!: string;

  @Describe('Pieces ordered')
  @IsInt()
  @Min(1)
  pieces!: number;

  @Describe('Pieces of these that the customer has sent back')
  @IsInt()
  @Min(0)
  returned!: number;

  @Describe('Price of the order in euros')
  @IsNumber()
  @Min(0)
  total!: number;

  @Describe('Whether return_items takes pieces of this order')
  @IsBoolean()
  returnable!: boolean;
}
