import { isUtf8 } from 'node:buffer';
import { ERROR_CODES, type RequestInfo } from '@sigil/core';
import { within } from '@sigil/core/internal';
import {
  type Connection,
  type Endpoint,
  errorResponse,
  parseJson,
  type RunningRuntime,
  type Runtime,
  TooMuchJsonError,
} from '@sigil/core/transport';
import { exitAfter, handleSignals, stderrLogger } from '@sigil/node';
import { LineSplitter } from './line-splitter.js';
import { LineWriter } from './line-writer.js';
import { readSettings, type StdioOptions, type StdioSettings } from './options.js';
import { guardStdout, type StreamWrite } from './stdout-guard.js';

/**
 * Creates a runtime that serves one client over standard input and output, with one JSON-RPC message per line (the
 * stdio transport of MCP).
 *
 * The runtime ends when its input ends, when its output is closed, or on SIGTERM or SIGINT. Requests in flight then
 * have `drainMs` to finish before they are aborted. If this was the last runtime of the app, the app closes and the
 * process exits, even if timers are still active. If you set `input` and `output`, the process does not exit when one
 * of these streams ends, but it exits after a signal. A line that is too long, not UTF-8 or not JSON is answered with
 * an error. A second `initialize` begins a new session. Log entries go to standard error.
 *
 * @param options the limits and streams of the transport. The default streams are those of the process.
 * @throws DefinitionError when an option is wrong.
 * @example
 * ```ts
 * await app.run(stdio());
 * ```
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export function stdio(options: StdioOptions = {}): Runtime {
  const settings = readSettings(options);
  return {
    name: 'stdio',
    logger: stderrLogger(),
    ownsProcess: settings.input === process.stdin,
    handleSignals: settings.handleSignals,
    start: (endpoint) => new Promise((resolve) => resolve(new StdioConnection(endpoint, settings))),
  };
}

const HANG_UP = new Set(['EPIPE', 'ECONNRESET']);
/** How long the disposal of services may take before the process exits, in milliseconds. */
const DISPOSAL_MS = 400;
/** The minimum time for writing answers, in milliseconds. */
const WRITE_MS = 100;

/** Messages up to this length are not counted. */
const SHORT_BYTES = 1024;

/**
 * The beginning of a notification's text. The next constants are the beginnings of notifications that may be
 * dropped.
 */
const NOTIFICATION = '{"jsonrpc":"2.0","method":"notifications/';
const MAY_BE_MISSED = ['progress"', 'message"'].map((name) => NOTIFICATION + name);

/** One client on one pair of streams, from the first byte to the last. */
class StdioConnection implements RunningRuntime {
  readonly address = '';
  readonly closed: Promise<void>;
  readonly #settings: StdioSettings;
  readonly #endpoint: Endpoint;
  readonly #connection: Connection;
  readonly #splitter: LineSplitter;
  readonly #writer: LineWriter;
  /** The request information for short messages. */
  readonly #requestInfo: RequestInfo | undefined;
  readonly #releases: (() => void)[] = [];
  readonly #resolveClosed: () => void;
  #state: 'reading' | 'draining' | 'closed' = 'reading';
  /** Whether the process ends with this connection: its client has gone, or a signal requested it. */
  #endsProcess = false;
  /** The last measure against a client that does not read. */
  #unread: 'nothing' | 'dropped' | 'ended' = 'nothing';
  /** The deadline of requests in flight, by `performance.now()`. */
  #deadline = 0;

  /** Begins to read at once. */
  constructor(endpoint: Endpoint, settings: StdioSettings) {
    const { promise, resolve } = deferred();
    this.closed = promise;
    this.#resolveClosed = resolve;
    this.#endpoint = endpoint;
    this.#settings = settings;
    const { principal } = settings;
    this.#requestInfo = principal && { principal };
    this.#splitter = new LineSplitter(settings.maxLineBytes, {
      line: (bytes) => this.#takeLine(bytes),
      overlong: () =>
        this.#refuse(ERROR_CODES.invalidRequest, `A message is longer than ${settings.maxLineBytes} bytes`),
    });
    this.#writer = this.#openWriter();
    const sink = {
      send: (message: string) => this.#send(message),
      end: (message: string) => this.#writer.write(message),
    };
    // Adapters such as the one from AWS for Lambda keep the process, and open a session for each of their own clients.
    this.#connection = endpoint.connect(sink, { restarts: true, transport: 'stdio' });
    this.#listen();
    if ((settings.input as { readonly isTTY?: boolean }).isTTY)
      endpoint.logger.info(
        'The server waits for messages on standard input. Usually, an MCP client starts this program. Ctrl-C ends it',
      );
    // A stream that has already ended emits no event.
    if (settings.input.readableEnded || settings.input.destroyed) this.#end(settings.input === process.stdin);
  }

  /** Stops reading, gives requests in flight `drainMs` to finish, and resolves when their answers are written. */
  close(): Promise<void> {
    if (this.#stopReading()) void this.#finish(true);
    return this.closed;
  }

  appCloses(closed: Promise<void>): void {
    if (this.#endsProcess) exitAfter(process, closed, this.#drainLeftMs() + DISPOSAL_MS);
  }

  #openWriter(): LineWriter {
    const { input, output, guardStdout: wanted } = this.#settings;
    const guard = wanted && output === process.stdout ? guardStdout(output, process.stderr) : undefined;
    if (guard) this.#releases.push(() => guard.release());
    const writeTo: StreamWrite = (text, written) => output.write(text, written);
    return new LineWriter(output, guard?.write ?? writeTo, {
      blocked: () => input.pause(),
      unblocked: () => {
        if (this.#state === 'reading') input.resume();
      },
      gone: (error) => this.#hangUp(error),
    });
  }

  #listen(): void {
    const { input } = this.#settings;
    const takeChunk = (chunk: Buffer | string): void => {
      if (this.#state === 'reading')
        this.#splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    };
    const takeEnd = (): void => {
      if (this.#state !== 'reading') return;
      this.#splitter.end();
      this.#end(input === process.stdin);
    };
    input.on('data', takeChunk).on('end', takeEnd).on('close', takeEnd);
    // This listener is never removed: a stream may fail later, and an error without a listener ends the process.
    input.on('error', (error) => {
      if (this.#state !== 'reading') return;
      this.#endpoint.logger.error({ error }, 'The input failed');
      this.#end(input === process.stdin);
    });
    this.#releases.push(() => input.off('data', takeChunk).off('end', takeEnd).off('close', takeEnd));
    if (!this.#settings.handleSignals) return;
    const stopListening = handleSignals(process, () => {
      this.#end(true);
      return this.closed;
    });
    // A signal that follows the end of the input must not cut the disposal of the services short.
    this.#releases.push(() => this.#endsProcess || stopListening());
  }

  /** Ends the connection. @param endsProcess whether the process ends with it. */
  #end(endsProcess: boolean): void {
    this.#endsProcess ||= endsProcess;
    if (endsProcess) this.#endpoint.closes?.();
    void this.close();
  }

  #takeLine(bytes: Buffer): void {
    // The rest of a chunk may follow the line that ended the connection.
    if (this.#state !== 'reading') return;
    let message: unknown;
    try {
      message = parseLine(bytes);
    } catch (error) {
      if (error instanceof TooMuchJsonError)
        this.#refuse(ERROR_CODES.invalidRequest, `Invalid request: ${error.message}`);
      else this.#refuse(ERROR_CODES.parseError, 'Parse error: a line is not JSON in UTF-8');
      return;
    }
    try {
      const { length } = bytes;
      const { principal } = this.#settings;
      const isLong = length > SHORT_BYTES;
      this.#connection.receive(
        message,
        undefined,
        isLong ? { bodyBytes: length, principal } : this.#requestInfo,
      );
    } catch (error) {
      this.#endpoint.logger.error({ error }, 'A message could not be processed');
    }
  }

  #send(message: string): void {
    if (!message.startsWith(NOTIFICATION)) return this.#writer.write(message);
    const { maxBufferedBytes } = this.#settings;
    if (this.#unread === 'ended' || this.#writer.writeWithin(maxBufferedBytes, message)) return;
    const { logger } = this.#endpoint;
    if (!MAY_BE_MISSED.some((start) => message.startsWith(start))) {
      this.#unread = 'ended';
      logger.error(
        { maxBufferedBytes },
        'The client does not read the messages of the server, so the connection is closed',
      );
      this.#hangUp();
    } else if (this.#unread === 'nothing') {
      this.#unread = 'dropped';
      logger.warn(
        { maxBufferedBytes },
        'The client does not read the messages of the server, so progress and log messages are dropped',
      );
    }
  }

  #refuse(code: number, message: string): void {
    this.#writer.write(errorResponse(null, { code, message }));
  }

  #hangUp(error?: NodeJS.ErrnoException): void {
    if (this.#state === 'closed') return;
    if (error && !HANG_UP.has(error.code ?? '')) this.#endpoint.logger.error({ error }, 'The output failed');
    // No client is left to read the answers. This also ends a drain that waits for them.
    this.#connection.close('The client is gone');
    if (!this.#stopReading()) return;
    this.#endsProcess = this.#settings.output === process.stdout;
    void this.#finish(false);
  }

  /** Stops reading. @returns whether the connection was still reading. */
  #stopReading(): boolean {
    if (this.#state !== 'reading') return false;
    this.#state = 'draining';
    this.#settings.input.pause();
    return true;
  }

  #drainLeftMs(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  async #finish(drain: boolean): Promise<void> {
    const { input, drainMs } = this.#settings;
    this.#deadline = performance.now() + drainMs;
    try {
      if (drain) await this.#connection.drain(drainMs);
    } catch (error) {
      this.#endpoint.logger.error({ error }, 'Requests in flight could not be drained');
    }
    await within(Math.max(WRITE_MS, this.#drainLeftMs()), this.#writer.settled());
    for (const release of this.#releases.splice(0)) release();
    // A pipe that the parent keeps open must not keep the process alive.
    if (input === process.stdin) process.stdin.unref?.();
    this.#state = 'closed';
    this.#resolveClosed();
  }
}

/**
 * Parses one line.
 *
 * @throws SyntaxError when the bytes are not UTF-8 or not JSON.
 */
function parseLine(line: Buffer): unknown {
  if (!isUtf8(line)) throw new SyntaxError('Invalid UTF-8');
  return parseJson(line.toString('utf8'));
}

/** Creates a promise, and the function that resolves it. */
function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
