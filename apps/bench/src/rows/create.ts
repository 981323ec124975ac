import { atMostValue } from '../budget.js';
import { sigil } from '../contestants.js';
import { createProject, installAlone, projectToInstall, temporaryFolder } from '../creation.js';
import { interleave } from '../interleave.js';
import type { Row } from '../row.js';

/** How many times as long as an install alone creating a project may take. */
const most = 1.5;

/** The time from an empty folder to the first tool result, divided by the time to install the same dependencies. */
export const create: Row = {
  id: 'create',
  title: 'project creation to first answer (1 = npm install alone)',
  unit: '×',
  budget: [atMostValue(most, '×')],
  contestants: [sigil],
  measure: (plan, contestants) =>
    interleave({
      contestants,
      rounds: plan.creations,
      script: (contestant) => contestant.stdio,
      open: async () => {
        const folder = await temporaryFolder();
        const project = await projectToInstall(folder.path);
        return {
          // The first install fills the cache of npm.
          warmUp: async () => void (await installAlone(folder.path, project)),
          round: async () => {
            const alone = await installAlone(folder.path, project);
            const whole = await createProject(folder.path);
            const note = `${Math.round(whole)} ms, an install alone ${Math.round(alone)} ms`;
            return { value: whole / alone, note };
          },
          close: () => folder.remove(),
        };
      },
    }),
};
