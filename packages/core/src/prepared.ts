// What a file that `sigil build` has written hands over before its program begins.
export { prepare, type PreparedParts } from './server/build-record.js';
export { preparedSchemas } from './schema/prepared-plans.js';
export { VERDICT_TOOLS } from './schema/validate/verdict-tools.js';
