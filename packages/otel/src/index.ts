export { type AuditLog, type AuditLogger, auditLogs } from './audit-logs.js';
export { telemetry } from './telemetry.js';
export type { EventLoopDelay, Redactor, TelemetryOptions } from './options.js';
