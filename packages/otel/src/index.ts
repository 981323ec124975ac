export { telemetry } from './telemetry.js';
export type { EventLoopDelay, Redactor, TelemetryOptions } from './options.js';
