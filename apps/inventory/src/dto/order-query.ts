import { Describe } from '@sigil/core';
import { IsNotEmpty, IsString } from 'class-validator';

/** What `order_status` is asked. */
export class OrderQuery {
  @Describe('Id of the order; upper or lower case', { examples: ['SO-10421'] })
  @IsString()
  @IsNotEmpty()
  orderId!: string;
}
