/** Writes one log line: the sentence, or details first and then the sentence. */
export type LogMethod = (details: object | string, message?: string) => void;

/** The part of pino's interface that Sigil uses; any logger that has it fits. */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
}

const ignore: LogMethod = () => undefined;

/** A logger that keeps quiet. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
