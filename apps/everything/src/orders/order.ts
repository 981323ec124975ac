import { Describe } from '@sigil/core';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsEmail,
  IsEnum,
  IsInt,
  IsOptional,
  IsPositive,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  ValidateNested,
} from 'class-validator';

/** How an order travels. */
export enum Shipping {
  Standard = 'standard',
  Express = 'express',
}

/** Where an order goes. */
export class Address {
  @IsString()
  @Length(1, 100)
  street!: string;

  @IsString()
  @Length(1, 60)
  city!: string;

  @Describe('ISO 3166 code of the country', { examples: ['FR', 'IT'] })
  @Matches(/^[A-Z]{2}$/)
  country!: string;
}

/** Who orders. */
export class Customer {
  @IsString()
  @Length(1, 80)
  name!: string;

  @IsEmail()
  email!: string;

  @ValidateNested()
  @Type(() => Address)
  address!: Address;
}

/** One article of an order. */
export class OrderLine {
  @Matches(/^[A-Z]{3}-\d{4}$/)
  @Describe('Number of the article', { examples: ['TEA-0001'] })
  sku!: string;

  @IsInt()
  @IsPositive()
  @Max(99)
  quantity!: number;

  /** Its price, for the server's own arithmetic. */
  get price(): number {
    return this.sku.startsWith('TEA') ? 4.5 : 12;
  }
}

/** An order: objects in objects, a list of them, an enum, a default, and something that may be left out. */
@Describe('An order to be placed')
export class Order {
  @ValidateNested()
  @Type(() => Customer)
  customer!: Customer;

  @ValidateNested({ each: true })
  @Type(() => OrderLine)
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  lines!: OrderLine[];

  @IsEnum(Shipping)
  shipping: Shipping = Shipping.Standard;

  @IsString({ each: true })
  @MaxLength(20, { each: true })
  @IsOptional()
  tags?: string[];

  @Describe('What the courier should know')
  @IsOptional()
  @IsString()
  @MaxLength(200)
  note?: string;
}
