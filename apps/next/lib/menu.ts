import { Describe, Service, Tool } from '@sigil/core';
import { Exclude } from 'class-transformer';
import { IsInt, IsNumber, IsOptional, IsPositive, IsString } from 'class-validator';

export class Dish {
  @IsString() name!: string;
  @Describe('In euros')
  @IsNumber()
  @IsPositive()
  price!: number;
  /** What it costs the kitchen is not for guests. */
  @IsNumber() @IsOptional() @Exclude() cost?: number;
}

class Budget {
  @Describe('The most that a dish may cost, in euros')
  @IsInt()
  @IsPositive()
  euros!: number;
}

const DISHES: readonly Dish[] = [
  { name: 'Soup of the day', price: 6, cost: 1.2 },
  { name: 'Pumpkin risotto', price: 14, cost: 4 },
  { name: 'Pike-perch', price: 22, cost: 9 },
].map((dish) => Object.assign(new Dish(), dish));

/** What there is to eat. */
@Service()
export class Menu {
  @Tool({ description: 'Dishes that a guest can afford', readOnly: true, output: [Dish] })
  dishesFor({ euros }: Budget): Dish[] {
    return DISHES.filter(({ price }) => price <= euros);
  }
}
