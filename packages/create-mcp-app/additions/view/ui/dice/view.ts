import { applyStyles, connect, type View } from '@sigil/ui';
import type { DiceForm, Die, DieForm, Roll } from '../../src/dto/dice.js';

/** The tools that the view knows. Only the types of these classes are in the page. */
export interface Tools {
  roll_dice: { input: DiceForm; output: Roll };
  roll_die: { input: DieForm; output: Die };
}

/** A view that is shown with the results of `roll_dice`. */
export type DiceView = View<Tools, 'roll_dice'>;

/** Connects to the host that shows the page, and takes its colors and fonts. */
export async function connectView(): Promise<DiceView> {
  const view = await connect<Tools, 'roll_dice'>({ name: 'addition-view', version: '0.1.0' });
  view.onContext(applyStyles);
  return view;
}
