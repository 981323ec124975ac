import { applyStyles, connect, type View } from '@sigil/ui';
import type { DiceForm, Die, DieForm, Roll } from '../../src/dto/dice.js';

/** The tools that the view uses. DTO classes are imported only as types, so their code is not in the page. */
export interface Tools {
  roll_dice: { input: DiceForm; output: Roll };
  roll_die: { input: DieForm; output: Die };
}

/** The view that shows the results of `roll_dice`. */
export type DiceView = View<Tools, 'roll_dice'>;

/** Connects to the host that shows the page, and applies the host's colors and fonts. */
export async function connectView(): Promise<DiceView> {
  const view = await connect<Tools, 'roll_dice'>({ name: 'addition-view', version: '0.1.0' });
  view.onContext(applyStyles);
  return view;
}
