import type { Logger, LogMethod } from '../protocol/logging.js';

/** The part of Node's `process` that is used when it is there. */
interface HostProcess {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdout?: HostOutput;
  readonly stderr?: HostOutput;
  exit?(code: number): never;
  getBuiltinModule?<Id extends keyof BuiltIns>(id: Id): BuiltIns[Id] | undefined;
  readonly versions?: { readonly node?: string };
  on?(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
  listenerCount?(event: 'unhandledRejection'): number;
}

interface BuiltIns {
  readonly 'node:fs': FileSystem;
  readonly 'node:async_hooks': { readonly AsyncLocalStorage: new <T>() => AsyncStorage<T> };
}

/** Remembers what an asynchronous task belongs to. */
export interface AsyncStorage<T> {
  run<R>(store: T, task: () => R): R;
  getStore(): T | undefined;
  /** Whether it costs little: since Node 24. */
  readonly isCheap?: boolean;
}

interface HostOutput {
  readonly isTTY?: boolean;
  write: (...args: unknown[]) => boolean;
}

interface FileSystem {
  fstatSync(
    descriptor: number,
    options: { bigint: true },
  ): { isFIFO(): boolean; isSocket(): boolean; isFile(): boolean };
  readdirSync(folder: URL, options: { withFileTypes: true }): readonly DirectoryEntry[];
  readFileSync(file: URL, encoding: 'utf8'): string;
  existsSync(file: URL): boolean;
}

interface DirectoryEntry {
  readonly name: string;
  isDirectory(): boolean;
}

// This file alone asks where it runs; on hosts without a `process` the answers are empty.
const host: HostProcess = (globalThis as { process?: HostProcess }).process ?? {};

/** A logger that prints warnings and errors on the console of the host: on Node, on standard error. */
export const consoleLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: printing('warn'),
  error: printing('error'),
};

function printing(level: 'warn' | 'error'): LogMethod {
  return (details, message) => {
    // Asked for at each line, so that what stands in for it later is heard too.
    const here = globalThis as { console?: Record<typeof level, (...parts: unknown[]) => void> };
    const shown = typeof details === 'string' ? details : withoutAdditions(details);
    here.console?.[level](...(message === undefined ? [shown] : [message, shown]));
  };
}

/** Errors as their stacks: what their classes have added, such as a request with its credentials, is not printed. */
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
 * Remembers which task of the program an asynchronous one belongs to, and hears of rejections that nothing handles.
 *
 * @param rejected is called within the task that a rejection belongs to, and told whether nothing else listens to rejections.
 * @returns `undefined` on hosts that cannot.
 */
export function callStorage<T>(
  rejected: (reason: unknown, isAlone: boolean) => void,
): AsyncStorage<T> | undefined {
  const module = host.getBuiltinModule?.('node:async_hooks');
  if (!module || !host.on) return undefined;
  host.on('unhandledRejection', (reason) =>
    rejected(reason, host.listenerCount?.('unhandledRejection') === 1),
  );
  const [major] = host.versions?.node?.split('.') ?? [];
  return Object.assign(new module.AsyncLocalStorage<T>(), { isCheap: Number(major) >= 24 });
}

/** The arguments the program was started with. */
export function hostArguments(): readonly string[] {
  return host.argv?.slice(2) ?? [];
}

/** Whether the environment asks the program to tell of itself instead of serving. */
export function isInspected(): boolean {
  return Boolean(hostVariable('SIGIL_INSPECT'));
}

/** An environment variable. */
export function hostVariable(name: string): string | undefined {
  return host.env?.[name];
}

/**
 * Sends what the program writes to standard output, through `console` too, to standard error instead, if a client may be at the
 * other end: if standard input and output are pipes, and not a terminal or nothing.
 *
 * @returns a function that gives standard output back.
 */
export function divertStdout(): () => void {
  const { stdout, stderr } = host;
  if (!stdout || !stderr || stdout.isTTY || !mayReadMessages()) return () => undefined;
  const { write } = stdout;
  const state = { active: true };
  const divert = (...args: unknown[]): boolean =>
    state.active ? stderr.write(...args) : write.apply(stdout, args);
  stdout.write = divert;
  return () => {
    state.active = false;
    // If other code has wrapped this function meanwhile, it stays and lets everything through.
    if (stdout.write === divert) stdout.write = write;
  };
}

function mayReadMessages(): boolean {
  // A test file that `node --test` runs reports its results on standard output.
  if (hostVariable('NODE_TEST_CONTEXT') !== undefined) return false;
  try {
    // Node's module loader looks at the numbers of the last file that was looked at, and takes links for pipes after this one;
    // big integers are kept apart from those.
    const stdin = host.getBuiltinModule?.('node:fs')?.fstatSync(0, { bigint: true });
    return stdin !== undefined && (stdin.isFIFO() || stdin.isSocket() || stdin.isFile());
  } catch {
    return false;
  }
}

/**
 * Writes a line to standard output and ends the program with success. Never resolves.
 *
 * @throws Error when the host has no standard output, or cannot end the program.
 */
export function endWith(line: string): Promise<never> {
  const { stdout } = host;
  if (!stdout || !host.exit)
    throw new Error('This host cannot answer SIGIL_INSPECT: it has no standard output');
  // Output through a pipe may be asynchronous: the program must not end before it is out.
  return new Promise(() => stdout.write(`${line}\n`, () => host.exit?.(0)));
}

/**
 * The files below a folder, those of `node_modules` aside, in alphabetical order, as URLs.
 *
 * @throws Error when the host has no file system, or the folder cannot be read.
 */
export function listFiles(folder: URL): URL[] {
  const fs = host.getBuiltinModule?.('node:fs');
  if (!fs) throw new Error('discovery needs a file system; list the classes in "services" instead');
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

/** The text of a file; `undefined` when it cannot be read. */
export function readText(file: URL): string | undefined {
  try {
    return host.getBuiltinModule?.('node:fs')?.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whether there is such a file. */
export function hasFile(file: URL): boolean {
  return host.getBuiltinModule?.('node:fs')?.existsSync(file) ?? false;
}
