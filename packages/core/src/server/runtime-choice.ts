import { DefinitionError } from '../errors/errors.js';
import type { Engine } from '../engine/engine.js';
import { withoutUndefined } from '../protocol/json.js';
import type { RunningRuntime, Runtime } from '../transport/transport.js';
import { onEndSignal, divertStdout, programArguments, environmentVariable, isInspected } from './platform.js';

interface HttpChoice {
  readonly health: string;
  readonly ready: string;
  readonly port?: number;
  readonly host?: string;
  readonly allowAnonymous?: boolean;
  readonly workers?: number;
  readonly closeDelayMs?: number;
  readonly drainMs?: number;
}

interface RuntimeModule {
  readonly stdio?: () => Runtime;
  readonly http?: (options: HttpChoice) => Runtime;
}

const SWITCHES = ['--http', '--stdio', '--allow-anonymous'];
const VALUE_FLAGS = ['--port', '--host', '--workers', '--close-delay-ms', '--drain-ms'];
const FLAGS = [...SWITCHES, ...VALUE_FLAGS];

/**
 * Chooses the runtime from the arguments of the program (`--http`, `--port N`, `--host H`, `--workers N`,
 * `--close-delay-ms N`, `--drain-ms N`, `--allow-anonymous`, `--stdio`), else from the environment variables `MCP_TRANSPORT`, `PORT`, `HOST`,
 * `WORKERS`, `CLOSE_DELAY_MS` and `DRAIN_MS`, else stdio.
 *
 * A program may have other flags, but none that is one typing error away from these: `--prot` is refused. Arguments after `--`
 * are not read.
 *
 * @throws DefinitionError when an argument or a variable is wrong, or when the package of the runtime is not installed.
 * @throws RangeError when `host` is not on this machine and `--allow-anonymous` is missing.
 */
export async function chooseRuntime(): Promise<Runtime> {
  const args = ownArguments();
  checkFlags(args);
  if (choosesStdio()) {
    const flag = [...VALUE_FLAGS, '--allow-anonymous'].find((each) => indexOf(args, each) >= 0);
    if (flag !== undefined)
      throw wrong(flag, `${flag} needs --http: over stdio the program does not listen`, 'add --http', flag);
    const { stdio } = await load('@sigil/stdio');
    if (!stdio) throw missing('@sigil/stdio');
    return stdio();
  }
  const port = read(args, '--port', 'PORT', readPort);
  const host = read(args, '--host', 'HOST', readHost);
  const workers = read(args, '--workers', 'WORKERS', readCount);
  const closeDelayMs = read(args, '--close-delay-ms', 'CLOSE_DELAY_MS', readDelay);
  const drainMs = read(args, '--drain-ms', 'DRAIN_MS', readDelay);
  const allowAnonymous = args.includes('--allow-anonymous') || undefined;
  const { http } = await load('@sigil/http');
  if (!http) throw missing('@sigil/http');
  return http({
    health: '/health',
    ready: '/readyz',
    ...withoutUndefined({ port, host, workers, closeDelayMs, drainMs, allowAnonymous }),
  });
}

type GivenRuntime = Pick<Runtime, 'logger' | 'ownsProcess' | 'handleSignals'>;

const SERVES_NOTHING: GivenRuntime = { ownsProcess: true, handleSignals: true };

/** How long side effects of tasks may go on where no clients are served, in milliseconds: as long as requests over HTTP. */
const DEFAULT_DRAIN_MS = 5_000;

/**
 * Runs tasks and serves no clients, until the program is told to end (`tasks.worker: 'only'`).
 *
 * @param given what the program would serve on: it logs there, and signals end it unless they were not to end that.
 */
export function workerRuntime(
  engine: Pick<Engine, 'start' | 'drains'>,
  { logger, ownsProcess = false, handleSignals = false }: GivenRuntime = SERVES_NOTHING,
): Runtime {
  return {
    name: 'worker',
    ownsProcess,
    ...withoutUndefined({ logger }),
    start(endpoint) {
      endpoint.logger.info("runs tasks and serves no clients, as tasks.worker: 'only' says");
      const drainMs = read(ownArguments(), '--drain-ms', 'DRAIN_MS', readDelay) ?? DEFAULT_DRAIN_MS;
      engine.start();
      let settle: () => void = () => undefined;
      const closed = new Promise<void>((resolve) => (settle = resolve));
      const signal: { exit?: () => void } = {};
      const end = (exit: () => void): void => {
        signal.exit = exit;
        engine.drains(drainMs);
        settle();
      };
      const stopListening = handleSignals ? onEndSignal(end) : undefined;
      const running: RunningRuntime = {
        closed,
        address: '',
        close() {
          stopListening?.();
          engine.drains(drainMs);
          settle();
          return closed;
        },
        // What handlers have left behind must not keep a process that was told to end.
        appCloses: (disposed) => void disposed.finally(signal.exit).catch(() => undefined),
      };
      return Promise.resolve(running);
    },
  };
}

/**
 * Keeps what a program writes while its app is made off standard output, if the app is going to be served over stdio.
 *
 * @returns a function that gives standard output back.
 */
export function reserveStdout(): () => void {
  return choosesStdio() && !isInspected() ? divertStdout() : () => undefined;
}

function choosesStdio(): boolean {
  const args = ownArguments();
  return (
    !args.includes('--http') && (args.includes('--stdio') || environmentVariable('MCP_TRANSPORT') !== 'http')
  );
}

function ownArguments(): readonly string[] {
  const args = programArguments();
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

function checkFlags(args: readonly string[]): void {
  if (args.includes('--http') && args.includes('--stdio'))
    throw wrong('--stdio', '--http and --stdio exclude each other', 'give one of them');
  const transport = environmentVariable('MCP_TRANSPORT') ?? '';
  if (!['', 'http', 'stdio'].includes(transport))
    throw wrong('MCP_TRANSPORT', `'${transport}' is not a transport`, 'set it to http or stdio');
  for (const arg of args.filter((each) => each.startsWith('--'))) {
    const [flag = '', value] = arg.split('=', 2);
    if (SWITCHES.includes(flag) && value !== undefined)
      throw wrong(flag, `${flag} takes no value`, `write ${flag}`);
    const meant = FLAGS.includes(flag)
      ? undefined
      : FLAGS.find((known) => isTypingError(flag, known) || known === `${flag}-ms`);
    if (meant !== undefined) throw wrong(flag, `there is no flag ${flag}`, `write ${meant}`, flag);
  }
}

/** Whether one text becomes the other when one character is added, removed or replaced, or when two neighbours swap places. */
function isTypingError(typed: string, known: string): boolean {
  const [a, b] = [typed.toLowerCase(), known];
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const swapped = `${restA[1] ?? ''}${restA[0] ?? ''}${restA.slice(2)}`;
  return [restA.slice(1), restA].includes(restB.slice(1)) || restA.slice(1) === restB || swapped === restB;
}

/** The text after a flag or its equals sign. @throws DefinitionError when there is none, or another flag follows. */
function valueOf(args: readonly string[], flag: string): string | undefined {
  const index = indexOf(args, flag);
  const found = args[index];
  if (found !== flag) return found?.slice(flag.length + 1);
  const value = args[index + 1];
  if (value !== undefined && !value.startsWith('--')) return value;
  throw wrong(flag, `${flag} has no value`, `write ${flag} <value>`);
}

function indexOf(args: readonly string[], flag: string): number {
  return args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
}

/** Reads the text of a flag or variable, whose name is for messages. */
type Parse<T> = (text: string, where: string) => T;

function read<T>(args: readonly string[], flag: string, variable: string, parse: Parse<T>): T | undefined {
  const given = valueOf(args, flag);
  if (given !== undefined) return parse(given, flag);
  const set = environmentVariable(variable);
  return set === undefined ? undefined : parse(set, variable);
}

/** @param kind what a text is that is none, in messages. */
function integer(least: number, most: number, kind: string, fix: string): Parse<number> {
  return (text, where) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw wrong(where, `'${text}' is ${kind}`, fix);
  };
}

const readPort = integer(0, 65535, 'not a port', 'give a number from 0 (any free port) to 65535');
const readCount = integer(
  1,
  Infinity,
  'not a number of processes',
  'give a number of 1 or more, such as that of the cores',
);
const readDelay = integer(0, Infinity, 'no time', 'give a number of milliseconds, such as 5000');

function readHost(text: string, where: string): string {
  // Node listens on every address when the host is empty.
  if (text.trim() !== '') return text;
  throw wrong(where, 'the host is empty', 'give an address, such as 127.0.0.1, or leave it out');
}

async function load(name: '@sigil/http' | '@sigil/stdio'): Promise<RuntimeModule> {
  const { importTransport } = await import('#transport-packages');
  const imported = await importTransport(name);
  if ('module' in imported) return imported.module;
  const { code } = imported.error as { code?: unknown };
  // The second is what bundlers say of a package that was not there to be bundled.
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') throw missing(name, imported.error);
  throw imported.error;
}

/** @param own a flag that may be the program's own. */
function wrong(where: string, what: string, fix: string, own?: string): DefinitionError {
  const alternative =
    own === undefined
      ? ''
      : `; if ${own} is a flag of your program, choose the runtime in code: app.run(stdio()) or app.run(http())`;
  return new DefinitionError([{ code: 'SIGIL_INVALID_OPTIONS', where, what, fix: `${fix}${alternative}` }]);
}

function missing(name: string, cause?: unknown): DefinitionError {
  const problem = {
    code: 'SIGIL_NO_RUNTIME' as const,
    where: 'app.run()',
    what: `the package ${name} is not installed`,
    fix: `npm install ${name}, or name a runtime in code: app.run(…)`,
  };
  return new DefinitionError([problem], { cause });
}
