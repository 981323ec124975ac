import { Service, Tool, Ui } from '@sigil/core';
import { DiceForm, Die, DieForm, Roll } from '../dto/dice.js';
import { DICE_VIEW } from '../resources/dice-view.js';

@Service()
export class RollDice {
  @Tool({
    description: 'Rolls dice and shows them to the user',
    readOnly: true,
    openWorld: false,
    output: Roll,
  })
  @Ui(DICE_VIEW)
  rollDice({ count, sides }: DiceForm): Roll {
    return { sides, dice: Array.from({ length: count }, () => roll(sides)) };
  }

  // Models do not see this tool: it is for the view.
  @Tool({ description: 'Rolls one die again', readOnly: true, openWorld: false, output: Die })
  @Ui({ resourceUri: DICE_VIEW, visibility: ['app'] })
  rollDie({ sides }: DieForm): Die {
    return { value: roll(sides) };
  }
}

function roll(sides: number): number {
  return 1 + Math.floor(Math.random() * sides);
}
