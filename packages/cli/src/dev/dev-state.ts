import type { JsonObject } from '../json.js';
import { Activity, type ShownEvent } from '../top/activity.js';

/** Maximum number of kept lines of output. */
const MOST_LINES = 500;

/** The server under development. */
export interface ServerStatus {
  /**
   * The status. `failed` means that the server has ended by itself, or does not listen; `stopped` means that
   * `sigil dev` ends.
   */
  readonly status: 'starting' | 'up' | 'failed' | 'stopped';
  /** The endpoint of the server; absent if the server uses standard streams, or if its port is unknown. */
  readonly url?: string | undefined;
  /** A text for people: the reason why the server has failed, or what the server waits for. */
  readonly reason?: string | undefined;
}

/** The compiler of the project. */
export interface CompilerStatus {
  readonly isCompiling: boolean;
  /** The errors of the last compilation, each with all its lines. */
  readonly problems: readonly string[];
  /** Whether the output of the compiler has the format of `tsc`, so that the compiler's state and errors are known. */
  readonly isUnderstood?: boolean;
}

/** Whether `sigil dev` currently reads the events of the server. */
export interface EventsStatus {
  readonly isWatching: boolean;
  /** The reason why the events are not read, as a text for the user. */
  readonly reason?: string | undefined;
}

/** A line of output. */
export interface OutputLine {
  readonly source: 'compiler' | 'server' | 'sigil';
  readonly text: string;
  /** Whether the line was written to standard error. */
  readonly isError: boolean;
}

/** Receives the events of `sigil dev`. Each member is optional. */
export interface DevListener {
  /** Called when the status of server, compiler or events has changed. */
  statusChanged?(): void;
  /** Called after each restart of the server, because its definitions have possibly changed. */
  servedChanged?(): void;
  /** Called with each new line of output. */
  written?(line: OutputLine): void;
  /**
   * Called when the server has reported an event.
   *
   * @param event the kind of the event, such as `call`.
   * @param shown the event in a form that is safe to print; `undefined` if events of this kind are not printed.
   */
  told?(event: string, data: JsonObject, shown: ShownEvent | undefined): void;
}

/** The current state of `sigil dev`: `DevLoop` fills it, and the terminal and the page show it. */
export class DevState {
  server: ServerStatus = { status: 'starting' };
  compiler: CompilerStatus = { isCompiling: false, problems: [] };
  events: EventsStatus = { isWatching: false };
  /** How many times the server was started. */
  starts = 0;
  /** The latest lines from the compiler, the server and `sigil dev` itself, the oldest first. */
  readonly lines: OutputLine[] = [];
  /** The calls, questions and tasks of the server. */
  readonly activity: Activity = new Activity(performance.now());
  readonly #listeners = new Set<DevListener>();

  /** Adds a listener. @returns a function that removes it. */
  subscribe(listener: DevListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Changes the status of the server, the compiler or the events. */
  change(changes: Partial<Pick<DevState, 'server' | 'compiler' | 'events' | 'starts'>>): void {
    Object.assign(this, changes);
    this.#tell((listener) => listener.statusChanged?.());
    if (changes.starts !== undefined) this.#tell((listener) => listener.servedChanged?.());
  }

  /** Adds a line of output. */
  write(source: OutputLine['source'], text: string, isError = false): void {
    const line = { source, text, isError };
    this.lines.push(line);
    if (this.lines.length > MOST_LINES) this.lines.shift();
    this.#tell((listener) => listener.written?.(line));
  }

  /** Adds an event from the server. */
  tell(event: string, data: JsonObject): void {
    const shown = this.activity.add(event, data, performance.now());
    this.#tell((listener) => listener.told?.(event, data, shown));
  }

  #tell(what: (listener: DevListener) => void): void {
    for (const listener of this.#listeners) what(listener);
  }
}
