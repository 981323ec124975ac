export { telemetry } from './telemetry.js';
export type { Redactor, TelemetryOptions } from './options.js';
