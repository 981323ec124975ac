import { isPlainObject } from '../protocol/json.js';
import type { Logger, LogMethod } from '../protocol/logging.js';
import { type MaybePromise, recovered } from '../protocol/maybe-promise.js';
import type { LogOptions } from './app-options.js';
import { consoleLogger, environmentVariable } from './platform.js';
import { LOGGING, unhandledRejections } from './unhandled-rejections.js';

/** The levels of log lines, least severe first. */
export const LINE_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/**
 * A logger that passes lines to another logger: the author's logger, or else the logger of the started runtime. Before
 * a runtime starts, an app without an author's logger prints lines on the console.
 */
export class RelayLogger implements Logger {
  #target: Logger;
  readonly #fixed: boolean;
  /** The index of the lowest level that is written. */
  readonly #least: number;
  readonly #secrets: ReadonlySet<string>;
  /** An unknown value of `LOG_LEVEL` that has not been reported yet. */
  #unknownLevel: string | undefined;

  /** @param target the author's logger, if there is one. It receives the lines of all levels, unless `level` is set. */
  constructor(target: Logger | undefined, { level, redact = [] }: Pick<LogOptions, 'level' | 'redact'> = {}) {
    this.#target = target ?? consoleLogger;
    this.#fixed = target !== undefined;
    const wanted = target || level ? '' : (environmentVariable('LOG_LEVEL') ?? '');
    const known = levelNamed(wanted);
    if (wanted !== '' && !known) this.#unknownLevel = wanted;
    this.#least = leastOf(level ?? known ?? (target ? 'debug' : 'info'));
    this.#secrets = new Set(redact.map((name) => name.toLowerCase()));
  }

  /**
   * Passes all further lines to `target`. Has no effect if the author has passed a logger, or if `target` is
   * `undefined`.
   */
  relayTo(target: Logger | undefined): void {
    if (this.#fixed || !target) return;
    this.#target = target;
    const LOG_LEVEL = this.#unknownLevel;
    this.#unknownLevel = undefined;
    if (LOG_LEVEL !== undefined)
      this.warn(
        { LOG_LEVEL },
        `the environment variable LOG_LEVEL is ignored: its value must be one of ${LEVEL_NAMES.join(', ')}`,
      );
  }

  readonly debug: LogMethod = (...args) => this.#log('debug', args);
  readonly info: LogMethod = (...args) => this.#log('info', args);
  readonly warn: LogMethod = (...args) => this.#log('warn', args);
  readonly error: LogMethod = (...args) => this.#log('error', args);

  /** Writes a line. An error of the logger is ignored, so that it does not affect the caller. */
  #log(level: keyof Logger, [details, ...message]: Parameters<LogMethod>): void {
    if (LINE_LEVELS.indexOf(level) < this.#least) return;
    const isRedacted = this.#secrets.size > 0 && isPlainObject(details);
    const args: Parameters<LogMethod> = [isRedacted ? this.#members(details, 0) : details, ...message];
    // Ours begins nothing that could be forgotten.
    const track = this.#fixed ? unhandledRejections.tracking.track : undefined;
    const log = (): MaybePromise<void> => this.#target[level](...args);
    void recovered(track ? () => track(LOGGING, log) : log, (error) => {
      if (this.#target === consoleLogger) return;
      consoleLogger.error({ err: error }, 'the logger failed');
      consoleLogger[level](...args);
    });
  }

  #redacted(value: unknown, depth: number): unknown {
    if (depth > DEEPEST_REDACTED) return value;
    if (Array.isArray(value)) return value.map((each) => this.#redacted(each, depth + 1));
    return isPlainObject(value) ? this.#members(value, depth) : value;
  }

  #members(value: object, depth: number): object {
    const shown = Object.entries(value).map(([name, member]): [string, unknown] => {
      const isSecret = this.#secrets.has(name.toLowerCase());
      return [name, isSecret ? '[redacted]' : this.#redacted(member, depth + 1)];
    });
    return Object.fromEntries(shown);
  }
}

const DEEPEST_REDACTED = 8;

function leastOf(level: NonNullable<LogOptions['level']>): number {
  return level === 'silent' ? LINE_LEVELS.length : LINE_LEVELS.indexOf(level);
}

const LEVEL_NAMES = [...LINE_LEVELS, 'silent'] as const;

/**
 * Returns the level in a text, which may also be a level name of another logger; `undefined` for any other
 * text.
 */
function levelNamed(text: string): LogOptions['level'] {
  return LEVEL_NAMES.find((level) => level === text.toLowerCase());
}
