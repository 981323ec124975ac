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

/** The kinds of shipping. */
export enum Shipping {
  Standard = 'standard',
  Express = 'express',
}

/** The address that an order is sent to. */
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

/** The customer who places an order. */
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

  /** The price of one piece. It is a getter, so it is not part of the schema. */
  get price(): number {
    return this.sku.startsWith('TEA') ? 4.5 : 12;
  }
}

/** An order: a DTO with nested objects, a list of objects, an enum, a default, and optional properties. */
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
