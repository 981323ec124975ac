import type { JsonObject } from '../json.js';
import { Activity, type ShownEvent } from '../top/activity.js';

/** Maximum number of kept lines of output. */
const MOST_LINES = 500;

/** The server that is being worked on. */
export interface ServerStatus {
  /** `failed` when it has ended by itself or does not listen; `stopped` once `sigil dev` ends. */
  readonly status: 'starting' | 'up' | 'failed' | 'stopped';
  /** Its endpoint; absent on standard streams, or if its port is unknown. */
  readonly url?: string | undefined;
  /** The reason for people: the failure, or the awaited event. */
  readonly reason?: string | undefined;
}

/** The compiler of the project. */
export interface CompilerStatus {
  readonly isCompiling: boolean;
  /** The errors of the last compilation, each with all its lines. */
  readonly problems: readonly string[];
  /** Whether its output has the format of `tsc`, so that its state and errors are known. */
  readonly isUnderstood?: boolean;
}

/** Whether the events of the server are read. */
export interface EventsStatus {
  readonly isWatching: boolean;
  /** Why they are not, for people. */
  readonly reason?: string | undefined;
}

/** A line of output. */
export interface OutputLine {
  readonly source: 'compiler' | 'server' | 'sigil';
  readonly text: string;
  /** Whether it was written to standard error. */
  readonly isError: boolean;
}

/** Receives the events of `sigil dev`. Each member is optional. */
export interface DevListener {
  /** The status of server, compiler or events is another. */
  statusChanged?(): void;
  /** The server was restarted: its definitions may differ. */
  servedChanged?(): void;
  /** A line was written. */
  written?(line: OutputLine): void;
  /**
   * The server has told an event.
   *
   * @param event its kind, such as `call`.
   * @param shown the printable part of it, if any.
   */
  told?(event: string, data: JsonObject, shown: ShownEvent | undefined): void;
}

/** The present state of `sigil dev`: `DevLoop` fills it, the terminal and the page show it. */
export class DevState {
  server: ServerStatus = { status: 'starting' };
  compiler: CompilerStatus = { isCompiling: false, problems: [] };
  events: EventsStatus = { isWatching: false };
  /** How often the server was started. */
  starts = 0;
  /** The latest lines of compiler, server and `sigil dev` itself, the oldest first. */
  readonly lines: OutputLine[] = [];
  /** The calls, questions and tasks of the server. */
  readonly activity: Activity = new Activity(performance.now());
  readonly #listeners = new Set<DevListener>();

  /** @returns ends the subscription. */
  subscribe(listener: DevListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Changes a status. */
  change(changes: Partial<Pick<DevState, 'server' | 'compiler' | 'events' | 'starts'>>): void {
    Object.assign(this, changes);
    this.#tell((listener) => listener.statusChanged?.());
    if (changes.starts !== undefined) this.#tell((listener) => listener.servedChanged?.());
  }

  /** Takes a line of output. */
  write(source: OutputLine['source'], text: string, isError = false): void {
    const line = { source, text, isError };
    this.lines.push(line);
    if (this.lines.length > MOST_LINES) this.lines.shift();
    this.#tell((listener) => listener.written?.(line));
  }

  /** Takes an event of the server. */
  tell(event: string, data: JsonObject): void {
    const shown = this.activity.add(event, data, performance.now());
    this.#tell((listener) => listener.told?.(event, data, shown));
  }

  #tell(what: (listener: DevListener) => void): void {
    for (const listener of this.#listeners) what(listener);
  }
}
