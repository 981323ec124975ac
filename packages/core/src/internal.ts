// Exports for the packages of this repository. They may change in any release.
export {
  announceLaterApp,
  buildRecord,
  type MakeLaterApp,
  type PlatformStandIn,
} from './server/build-record.js';

// The parts that a file from `sigil build` passes to the app.
export { prepare, type PreparedParts } from './server/build-record.js';

// Deadlines, quotas of log lines, pages and similar parts of servers with many clients.
export {
  afterMs,
  answered,
  type Deadline,
  Deadlines,
  LateError,
  MAX_DELAY_MS,
  unref,
  within,
} from './transport/deadlines.js';
export { LogThrottle } from './transport/log-throttle.js';
export { type Listed, listPages } from './transport/list-pages.js';
export { decodeCursor, encodeCursor, pagesOf } from './transport/pages.js';
export { PendingAnswers } from './transport/pending-answers.js';
export { scopesIn, scopesToAnswer, withScopes } from './transport/scoped-names.js';
export { claimOf, readableId } from './protocol/protocol.js';
export { addressKey, canonicalAddress, challengedScopes, isScope } from './protocol/principal.js';
export { givenId } from './context/trace.js';
export { messageOf } from './errors/errors.js';
export { isTaskStatus, noTasks, TASK_STATUSES } from './backend/tasks.js';
export { isClass } from './invoke/compile-policies.js';
export { after, isPromise, recovered } from './protocol/maybe-promise.js';
export { guardListeners } from './engine/guarded-signal.js';
export { canonicalJson, frozenCopy, isObject, isPlainObject } from './protocol/json.js';
export { fromBase64Url, toBase64Url } from './protocol/base64.js';
export { cannotBacktrack } from './schema/patterns/quick-scan.js';

// The view of sessions and tasks for operators.
export type { ListedSession, SessionListing } from './server/inspect-sessions.js';
export type { ListedTask, RetriedTask, ShownTask, TaskListing } from './extensions/tasks/inspect-tasks.js';

// The common parts of stores outside of the process.
export { STORE_LIMITS, type StoreLimits, storeLimits } from './memory/store-limits.js';
export { quotaExceeded } from './transport/quota.js';
export { StoreClock } from './transport/store-clock.js';

// Checks of options, and the definitions of a class, for packages that take them in other ways.
export { OptionChecks, type OptionTable, warnOfParameters } from './transport/option-checks.js';
export { CREDENTIAL_HEADERS } from './protocol/principal.js';
export { auditHash } from './server/audit.js';
export { APP_OPTIONS } from './server/check-options.js';
export {
  type HandlerMethod,
  handlersOf,
  parametersOf,
  parameterTypes,
  type ServiceDefinition,
  serviceOf,
} from './metadata/metadata.js';
export { isContextClass, setArguments } from './context/context.js';
