import { type Contestant, scriptPath } from './contestants.js';
import type { Cell, Cells, Reading } from './row.js';

/** A contestant that is ready to be measured for one row of the table. */
export interface Subject {
  warmUp?(): Promise<void>;
  round(): Promise<Reading>;
  close?(): Promise<void>;
}

/** How a row of the table is measured. */
export interface Interleaving {
  readonly contestants: readonly Contestant[];
  readonly rounds: number;
  /** Returns the script of a contestant for this row. */
  readonly script: (contestant: Contestant) => string;
  readonly open: (contestant: Contestant, script: string) => Subject | Promise<Subject>;
}

/**
 * Measures the contestants by turns (A B C A B C …), so that other load on the machine affects all contestants equally.
 * If a contestant fails, the row shows its error, and the others are still measured.
 */
export async function interleave({ contestants, rounds, script, open }: Interleaving): Promise<Cells> {
  const cells = new Map<string, Cell>();
  const subjects = new Map<string, Subject>();
  const readings = new Map<string, Reading[]>();

  const attempt = async (id: string, act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      cells.set(id, { kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
  };

  try {
    for (const contestant of contestants) {
      const { id } = contestant;
      const path = scriptPath(script(contestant));
      if (path === undefined) {
        cells.set(id, { kind: 'absent' });
        continue;
      }
      await attempt(id, async () => {
        const subject = await open(contestant, path);
        subjects.set(id, subject);
        await subject.warmUp?.();
      });
    }
    for (let round = 0; round < rounds; round++) {
      for (const [id, subject] of subjects) {
        if (cells.has(id)) continue;
        await attempt(id, async () => {
          const reading = await subject.round();
          readings.set(id, [...(readings.get(id) ?? []), reading]);
        });
      }
    }
  } finally {
    for (const subject of subjects.values()) await subject.close?.();
  }

  for (const [id, measured] of readings) {
    if (!cells.has(id)) cells.set(id, { kind: 'measured', readings: measured });
  }
  return cells;
}
