import { type Json, textOf } from '@sigil/ui';
import { useEffect, useState } from 'react';
import type { Roll } from '../../src/dto/dice.js';
import type { DiceView } from './view.js';

export function App({ view }: { readonly view: DiceView }) {
  const [roll, setRoll] = useState<Json<Roll>>();
  const [problem, setProblem] = useState('');

  useEffect(
    () =>
      view.onResult((result) => {
        if (result.isError) setProblem(textOf(result));
        else setRoll(result.structuredContent);
      }),
    [view],
  );

  async function rollAgain({ sides }: Json<Roll>, at: number): Promise<void> {
    try {
      const result = await view.callTool('roll_die', { sides });
      if (result.isError) return setProblem(textOf(result));
      const { value } = result.structuredContent;
      setRoll((before) => before && { ...before, dice: before.dice.with(at, value) });
    } catch (error) {
      setProblem(String(error));
    }
  }

  if (problem) return <p role="alert">{problem}</p>;
  if (!roll) return null;
  return (
    <>
      <ul className="dice">
        {roll.dice.map((value, at) => (
          <li key={at}>
            <button title={`Roll die ${at + 1} again`} onClick={() => void rollAgain(roll, at)}>
              {value}
            </button>
          </li>
        ))}
      </ul>
      <p role="status">Total: {roll.dice.reduce((sum, value) => sum + value, 0)}</p>
    </>
  );
}
