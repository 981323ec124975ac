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
  @Describe('What the die shows')
  @IsInt()
  value!: number;
}

export class Roll {
  @Describe('Sides of each die')
  @IsInt()
  sides!: number;

  @Describe('What the dice show')
  @IsInt({ each: true })
  dice!: number[];
}
