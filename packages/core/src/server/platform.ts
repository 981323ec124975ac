import type { Logger, LogMethod } from '../protocol/logging.js';

/** The part of Node's `process` that Sigil uses. It is absent on some platforms. */
interface PlatformProcess {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly ppid?: number;
  readonly stdout?: PlatformOutput;
  readonly stderr?: PlatformOutput;
  exit?(code: number): never;
  getBuiltinModule?<Id extends keyof BuiltIns>(id: Id): BuiltIns[Id] | undefined;
  readonly versions?: { readonly node?: string };
  on?(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
  on?(event: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  off?(event: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
}

/** A channel of `node:diagnostics_channel`. */
interface DiagnosticsChannel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

interface BuiltIns {
  readonly 'node:fs': FileSystem;
  readonly 'node:async_hooks': { readonly AsyncLocalStorage: new <T>() => AsyncStorage<T> };
  readonly 'node:diagnostics_channel': { channel(name: string): DiagnosticsChannel };
}

/** A storage whose value is available to all asynchronous work that a call starts; see Node's `AsyncLocalStorage`. */
export interface AsyncStorage<T> {
  run<R>(store: T, task: () => R): R;
  getStore(): T | undefined;
  /** Whether the storage slows the program down only slightly, as on Node 24 and later. */
  readonly isCheap?: boolean;
}

interface PlatformOutput {
  readonly isTTY?: boolean;
  write: (...args: unknown[]) => boolean;
}

interface FileSystem {
  fstatSync(
    descriptor: number,
    options: { bigint: true },
  ): { isFIFO(): boolean; isSocket(): boolean; isFile(): boolean };
  readdirSync(folder: URL, options: { withFileTypes: true }): readonly DirectoryEntry[];
  readFileSync(file: URL | string, encoding: 'utf8'): string;
  existsSync(file: URL | string): boolean;
}

interface DirectoryEntry {
  readonly name: string;
  isDirectory(): boolean;
}

// Only this file checks the platform; without a `process` the answers are empty.
const platform: PlatformProcess = (globalThis as { process?: PlatformProcess }).process ?? {};

/**
 * A logger that prints warnings and errors on the platform's console. On Node, this is standard error.
 *
 * @example
 * ```ts
 * const app = await createApp({ name: 'shop', version: '1.0.0', logger: consoleLogger });
 * ```
 */
export const consoleLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: printing('warn'),
  error: printing('error'),
};

function printing(level: 'warn' | 'error'): LogMethod {
  return (details, message) => {
    // Read for each line, so that a console that is replaced later is used too.
    const here = globalThis as { console?: Record<typeof level, (...parts: unknown[]) => void> };
    try {
      const shown = typeof details === 'string' ? details : withoutAdditions(details);
      here.console?.[level](...(message === undefined ? [shown] : [message, shown]));
    } catch {
      // For example, an error with members that throw: the event is logged even without its details.
      here.console?.[level](message ?? 'an error', 'whose details cannot be read');
    }
  };
}

/**
 * Returns the log details with errors as their stacks. Further members of errors are left out, such as a
 * request with credentials.
 */
function withoutAdditions(details: object): object {
  if (details instanceof Error) return { err: textOf(details) };
  const shown = Object.entries(details).map(([name, value]) => [
    name,
    value instanceof Error ? textOf(value) : (value as unknown),
  ]);
  return Object.fromEntries(shown) as object;
}

function textOf(error: Error): string {
  const text = error.stack ?? String(error);
  return error.cause instanceof Error ? `${text}\n[cause]: ${textOf(error.cause)}` : text;
}

/**
 * Creates a storage that associates asynchronous work with the call that started it.
 *
 * @returns `undefined` on platforms without `AsyncLocalStorage`.
 */
export function callStorage<T>(): AsyncStorage<T> | undefined {
  const module = platform.getBuiltinModule?.('node:async_hooks');
  if (!module) return undefined;
  const [major] = platform.versions?.node?.split('.') ?? [];
  return Object.assign(new module.AsyncLocalStorage<T>(), { isCheap: Number(major) >= 24 });
}

/** Returns a channel of `node:diagnostics_channel`. @returns `undefined` on platforms without that module. */
export function diagnosticsChannel(name: string): DiagnosticsChannel | undefined {
  return platform.getBuiltinModule?.('node:diagnostics_channel')?.channel(name);
}

/**
 * Adds a listener for unhandled promise rejections, so that they do not end the process.
 *
 * @param listener a function that is called in the asynchronous context of the rejected promise.
 */
export function onUnhandledRejection(listener: (reason: unknown) => void): void {
  platform.on?.('unhandledRejection', listener);
}

/** The signals that ask a program to end, each with the exit code that it causes. */
const END_SIGNALS = [
  ['SIGTERM', 0],
  ['SIGINT', 130],
] as const;

/**
 * Calls a function at each SIGTERM or SIGINT.
 *
 * @param told the function to call. It receives a function that ends the process with the exit code for the signal.
 * @returns a function that removes the listener.
 */
export function onEndSignal(told: (exit: () => void) => void): () => void {
  const listeners = END_SIGNALS.map(([signal, code]) => {
    const listener = (): void => told(() => platform.exit?.(code));
    platform.on?.(signal, listener);
    return () => platform.off?.(signal, listener);
  });
  return () => listeners.forEach((stop) => stop());
}

/** Returns the arguments of the program. */
export function programArguments(): readonly string[] {
  return platform.argv?.slice(2) ?? [];
}

/**
 * Whether the environment variable `SIGIL_INSPECT` asks the program to describe itself instead of serving clients.
 */
export function isInspected(): boolean {
  return Boolean(environmentVariable('SIGIL_INSPECT'));
}

/**
 * Returns the secret that the workers of one program share.
 *
 * @returns `undefined` in a process that `http({ workers })` did not start.
 */
export function workerKey(): string | undefined {
  const key = environmentVariable('SIGIL_WORKER_KEY');
  // A program that a worker starts inherits the variable.
  return key?.startsWith(`${platform.ppid}:`) ? key : undefined;
}

/** Returns the value of an environment variable. */
export function environmentVariable(name: string): string | undefined {
  return platform.env?.[name];
}

/**
 * Redirects standard output, including `console`, to standard error if a client may read standard output. This is
 * possible if standard output is not a terminal, and standard input is a pipe, a socket or a file.
 *
 * @returns a function that restores standard output.
 */
export function divertStdout(): () => void {
  const { stdout, stderr } = platform;
  if (!stdout || !stderr || stdout.isTTY || !mayReadMessages()) return () => undefined;
  const { write } = stdout;
  const state: Diversion = { active: true, write };
  const divert = Object.assign(
    (...args: unknown[]): boolean => (state.active ? stderr.write(...args) : write.apply(stdout, args)),
    { [DIVERSION]: state },
  );
  stdout.write = divert;
  return () => {
    state.active = false;
    // If other code has wrapped this function, it stays and passes everything on.
    if (stdout.write === divert) stdout.write = write;
  };
}

/**
 * The key under which a redirected `write` stores its redirection, so that other copies of this package find
 * it.
 */
const DIVERSION: unique symbol = Symbol.for('sigil:stdout-diversion') as never;

interface Diversion {
  active: boolean;
  /** The original `write`. */
  readonly write: PlatformOutput['write'] & { readonly [DIVERSION]?: Diversion };
}

/**
 * Ends the redirections of standard output by all apps of the program. Called when one app starts to use standard
 * output. The other apps may never run, and would then never end their redirections.
 */
export function releaseStdoutOfAll(): void {
  let write: Diversion['write'] | undefined = platform.stdout?.write;
  for (let state = write?.[DIVERSION]; state; state = write?.[DIVERSION]) {
    state.active = false;
    write = state.write;
  }
}

function mayReadMessages(): boolean {
  // A test file that `node --test` runs reports its results on standard output.
  if (environmentVariable('NODE_TEST_CONTEXT') !== undefined) return false;
  try {
    // Node's module loader looks at the numbers of the last file that was looked at, and takes links for pipes after this one;
    // big integers are kept apart from those.
    const stdin = platform.getBuiltinModule?.('node:fs')?.fstatSync(0, { bigint: true });
    return stdin !== undefined && (stdin.isFIFO() || stdin.isSocket() || stdin.isFile());
  } catch {
    return false;
  }
}

/**
 * Writes a line to standard output and ends the program with exit code 0. The promise never resolves.
 *
 * @throws Error if the platform has no standard output, or cannot end the program.
 */
export function endWith(line: string): Promise<never> {
  const { stdout } = platform;
  if (!stdout || !platform.exit)
    throw new Error(
      'The variable SIGIL_INSPECT does not work on this platform, because the platform has no standard output, or cannot end the program',
    );
  // Output through a pipe may be asynchronous: the program must not end before it is out.
  // It begins on a line of its own, whatever the program has printed.
  return new Promise(() => stdout.write(`\n${line}\n`, () => platform.exit?.(0)));
}

/**
 * Lists the files in a folder and its subfolders, except `node_modules`, as URLs in alphabetical order.
 *
 * @throws Error if the platform has no file system, or if the folder cannot be read.
 */
export function listFiles(folder: URL): URL[] {
  const fs = platform.getBuiltinModule?.('node:fs');
  if (!fs) throw new Error('discovery needs a file system: list the classes in "services" instead');
  const base = folder.href.endsWith('/') ? folder : new URL(`${folder.href}/`);
  const entries = [...fs.readdirSync(base, { withFileTypes: true })].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  return entries.flatMap((entry) => {
    const url = new URL(encodeURIComponent(entry.name), base);
    if (!entry.isDirectory()) return [url];
    return entry.name === 'node_modules' ? [] : listFiles(url);
  });
}

/** Returns the text of a file; `undefined` if it cannot be read. */
export function readText(file: URL): string | undefined {
  try {
    return platform.getBuiltinModule?.('node:fs')?.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whether a file exists. */
export function hasFile(file: URL | string): boolean {
  return platform.getBuiltinModule?.('node:fs')?.existsSync(file) ?? false;
}
