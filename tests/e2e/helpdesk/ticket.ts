import { Describe, PartialType } from '@sigil/core';
import { IsIn, IsInt, IsOptional, IsString, MinLength } from 'class-validator';
import { KnownCustomer } from './known-customer.js';

const PRIORITIES = ['low', 'normal', 'high'];

export class OpenTicket {
  @Describe('The id of a customer, from crm_find_customers')
  @IsInt()
  @KnownCustomer()
  customer!: number;

  @Describe('What is wrong, in one sentence')
  @IsString()
  @MinLength(3)
  title!: string;

  @IsIn(PRIORITIES)
  priority: string = 'normal';
}

export class UpdateTicket extends PartialType(OpenTicket) {
  @IsInt()
  id!: number;
}

export class Ticket extends OpenTicket {
  @IsInt()
  id!: number;

  @IsString()
  openedBy!: string;

  @Describe('Given when the ticket is closed')
  @IsOptional()
  @IsString()
  solution?: string;
}

/** The form that the user fills in when a ticket is closed. */
export class Solution {
  @Describe('How was it solved?')
  @IsString()
  @MinLength(3)
  solution!: string;
}
