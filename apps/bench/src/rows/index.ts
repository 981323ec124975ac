import type { Row } from '../row.js';
import { abandonedSessions } from './abandoned-sessions.js';
import { create } from './create.js';
import { dtoInterpreted, dtoValidation } from './dto-validation.js';
import { hostileInput } from './hostile-input.js';
import { httpAuth } from './http-auth.js';
import { httpCallMany } from './http-call-many.js';
import { httpCall } from './http-call.js';
import { httpList } from './http-list.js';
import { httpTelemetry } from './http-telemetry.js';
import { httpWorkers } from './http-workers.js';
import { listeners } from './listeners.js';
import { sessionMemory } from './session-memory.js';
import { startWithArg, startWithDto } from './start.js';
import { startBuilt } from './start-built.js';
import { startMany } from './start-many.js';
import { stdioCall } from './stdio-call.js';

/** All rows, in the order of the table. */
export const rows: readonly Row[] = [
  httpCall,
  httpCallMany,
  httpList,
  httpWorkers,
  httpAuth,
  httpTelemetry,
  stdioCall,
  startWithArg,
  startWithDto,
  startBuilt,
  startMany,
  dtoValidation,
  dtoInterpreted,
  sessionMemory,
  abandonedSessions,
  listeners,
  hostileInput,
  create,
];
