import { Describe } from '@sigil/core';
import { IsNotEmpty, IsString } from 'class-validator';

/** The arguments of the tool `order_status`. */
export class OrderQuery {
  @Describe('Id of the order; upper or lower case', { examples: ['SO-10421'] })
  @IsString()
  @IsNotEmpty()
  orderId!: string;
}
