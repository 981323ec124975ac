import { type Json, textOf } from '@sigil/ui';
import type { Roll } from '../../src/dto/dice.js';
import { connectView } from './view.js';

const app = document.querySelector('#app')!;

try {
  const view = await connectView();

  const show = (roll: Json<Roll>): void => {
    const dice = roll.dice.map((value, at) => dieOf(value, at, () => rollAgain(roll, at)));
    const list = Object.assign(document.createElement('ul'), { className: 'dice' });
    list.append(...dice);
    const total = roll.dice.reduce((sum, value) => sum + value, 0);
    const line = Object.assign(document.createElement('p'), {
      role: 'status',
      textContent: `Total: ${total}`,
    });
    app.replaceChildren(list, line);
  };

  const rollAgain = async (roll: Json<Roll>, at: number): Promise<void> => {
    const result = await view.callTool('roll_die', { sides: roll.sides });
    if (result.isError) fail(textOf(result));
    else show({ ...roll, dice: roll.dice.with(at, result.structuredContent.value) });
  };

  view.onResult((result) => {
    if (result.isError) fail(textOf(result));
    else show(result.structuredContent);
  });
} catch (error) {
  fail(String(error));
}

function dieOf(value: number, at: number, onclick: () => Promise<void>): HTMLLIElement {
  const title = `Roll die ${at + 1} again`;
  const button = Object.assign(document.createElement('button'), { textContent: value, title });
  button.addEventListener('click', () => void onclick().catch((error: unknown) => fail(String(error))));
  const item = document.createElement('li');
  item.append(button);
  return item;
}

function fail(problem: string): void {
  app.replaceChildren(Object.assign(document.createElement('p'), { role: 'alert', textContent: problem }));
}
