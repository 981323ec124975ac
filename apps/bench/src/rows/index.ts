import type { Row } from '../row.js';
import { abandonedSessions } from './abandoned-sessions.js';
import { create } from './create.js';
import { dtoValidation } from './dto-validation.js';
import { hostileInput } from './hostile-input.js';
import { httpCallMany } from './http-call-many.js';
import { httpCall } from './http-call.js';
import { httpList } from './http-list.js';
import { sessionMemory } from './session-memory.js';
import { startWithArg, startWithDto } from './start.js';
import { startMany } from './start-many.js';
import { stdioCall } from './stdio-call.js';

/** All rows, in the order of the table. */
export const rows: readonly Row[] = [
  httpCall,
  httpCallMany,
  httpList,
  stdioCall,
  startWithArg,
  startWithDto,
  startMany,
  dtoValidation,
  sessionMemory,
  abandonedSessions,
  hostileInput,
  create,
];
