import { readFile } from 'node:fs/promises';
import { Service, UiResource } from '@sigil/core';

export const DICE_VIEW = 'ui://dice/view.html';

@Service()
export class DiceView {
  @UiResource(DICE_VIEW, {
    title: 'Dice',
    description: 'Shows dice; a click on a die rolls it again',
    prefersBorder: true,
  })
  view(): Promise<string> {
    // Vite builds this file from ui/dice/index.html.
    return readFile(new URL('../../dist/ui/dice/index.html', import.meta.url), 'utf8');
  }
}
