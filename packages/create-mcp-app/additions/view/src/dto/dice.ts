import { Describe } from '@sigil/core';
import { IsInt, Max, Min } from 'class-validator';

export class DieForm {
  @Describe('Sides of a die, such as 6')
  @IsInt()
  @Min(2)
  @Max(100)
  sides!: number;
}

export class DiceForm extends DieForm {
  @Describe('How many dice')
  @IsInt()
  @Min(1)
  @Max(10)
  count!: number;
}

export class Die {
  @Describe('The number on the die')
  @IsInt()
  value!: number;
}

export class Roll {
  @Describe('Sides of each die')
  @IsInt()
  sides!: number;

  @Describe('The numbers on the dice')
  @IsInt({ each: true })
  dice!: number[];
}
