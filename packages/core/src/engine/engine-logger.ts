import type { Logger, LogMethod } from '../protocol/logger.js';
import type { LogLevel } from '../protocol/logging.js';

/** Sends a log message to the clients that asked for messages of its level. */
export type SendLog = (level: LogLevel, data: unknown) => void;

/** A logger that writes where the app writes and also reaches clients. */
export function bridgedLogger(logger: Logger, send: SendLog): Logger {
  const at =
    (method: keyof Logger, level: LogLevel): LogMethod =>
    (details, message) => {
      if (typeof details === 'string') logger[method](details);
      else logger[method](details, message);
      send(level, dataOf(details, message));
    };
  return {
    debug: at('debug', 'debug'),
    info: at('info', 'info'),
    warn: at('warn', 'warning'),
    error: at('error', 'error'),
  };
}

function dataOf(details: object | string, message: string | undefined): unknown {
  if (typeof details === 'string') return details;
  return message === undefined ? details : { ...details, message };
}
