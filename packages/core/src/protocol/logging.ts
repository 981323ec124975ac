/** The eight severities of RFC 5424, mildest first. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

/** A severity of RFC 5424. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Whether a value is one of `LOG_LEVELS`. */
export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** Whether a message of `level` is at least as severe as `minimum`. */
export function passes(level: LogLevel, minimum: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(minimum);
}

/** Writes one log line. The arguments are the message, or details followed by the message. */
export type LogMethod = (details: object | string, message?: string) => void;

/** The part of pino's interface that Sigil uses. Any logger that has these methods can be used. */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
}
