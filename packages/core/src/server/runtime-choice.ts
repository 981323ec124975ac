import { DefinitionError } from '../errors/errors.js';
import type { Engine } from '../engine/engine.js';
import { isObject, isPlainObject, withoutUndefined } from '../protocol/json.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import { OptionChecks, type OptionTable } from '../transport/option-checks.js';
import type { RunningRuntime, Runtime } from '../transport/transport.js';
import { onEndSignal, divertStdout, programArguments, environmentVariable, isInspected } from './platform.js';

/**
 * The types of the members `http` and `stdio` of `RunOptions`. `@sigil/http` and `@sigil/stdio` add their options by
 * declaration merging in programs that import these packages. In other programs, add `import type {} from
 * '@sigil/http'`. Without an import, the compiler accepts any object as options.
 */
export interface RuntimeOptionTypes {
  // An interface without members would accept strings and numbers, too.
  readonly [member: symbol]: object;
}

type OptionsOf<Name extends 'http' | 'stdio'> =
  RuntimeOptionTypes extends Readonly<Record<Name, infer Options>> ? Options : object;

/** The listen address from the program's arguments, or else from its environment variables. */
export interface ListenAddress {
  /** The value of the argument `--host`, or else of the variable `HOST`. */
  readonly host?: string;
  /** The value of the argument `--port`, or else of the variable `PORT`. */
  readonly port?: number;
}

/**
 * Options for `app.run()`, which chooses the runtime. The arguments `--port`, `--host`, `--workers`,
 * `--close-delay-ms`, `--drain-ms` and `--allow-anonymous`, and the corresponding environment variables, override the
 * options.
 *
 * @example
 * ```ts
 * await app.run({
 *   http: ({ host = '127.0.0.1' }) => ({ sse: true, ...(host === '127.0.0.1' ? {} : { authenticate }) }),
 *   stdio: { principal: { id: 'owner' } },
 * });
 * ```
 */
export interface RunOptions {
  /**
   * The transport to use if neither an argument (`--http`, `--stdio`) nor the variable `MCP_TRANSPORT` chooses one.
   *
   * @default 'stdio'
   */
  readonly transport?: 'http' | 'stdio';
  /**
   * The options of `http()`, or a function that returns them. The function is called only when the app is served over
   * HTTP.
   *
   * @default { health: '/health', ready: '/readyz' }; setting other options does not change these two
   */
  readonly http?: OptionsOf<'http'> | ((listen: ListenAddress) => MaybePromise<OptionsOf<'http'>>);
  /**
   * The options of `stdio()`, or a function that returns them. The function is called only when the app is served over
   * stdio.
   *
   * @default {}
   */
  readonly stdio?: OptionsOf<'stdio'> | (() => MaybePromise<OptionsOf<'stdio'>>);
}

interface RuntimeModule {
  readonly stdio?: (options: object) => Runtime;
  readonly http?: (options: object) => Runtime;
}

const SWITCHES = ['--http', '--stdio', '--allow-anonymous'];
const VALUE_FLAGS = ['--port', '--host', '--workers', '--close-delay-ms', '--drain-ms'];
const FLAGS = [...SWITCHES, ...VALUE_FLAGS];

const RUN_OPTIONS: OptionTable<RunOptions> = { transport: true, http: true, stdio: true };

/** Whether a value is a runtime, not options of `app.run()`. */
export function isRuntime(given: Runtime | RunOptions | undefined): given is Runtime {
  return isObject(given) && typeof given['start'] === 'function';
}

/** Validates the argument of `app.run()`. @throws DefinitionError if it is neither a runtime nor options. */
export function checkRunOptions(given: Runtime | RunOptions | undefined): void {
  if (given === undefined || isRuntime(given)) return;
  const checks = new OptionChecks('app.run');
  if (!isPlainObject(given))
    checks.refuse(
      'runtime',
      'it must be a runtime (for example http()) or an object with options',
      'write app.run(http({ port: 3000 })), or app.run({ http: { … } }) to let arguments and environment variables choose the runtime',
    );
  else {
    for (const option of Object.keys(given).filter((name) => !Object.hasOwn(RUN_OPTIONS, name)))
      checks.refuse(
        option,
        `this option does not exist; the options are ${Object.keys(RUN_OPTIONS).join(', ')}`,
        'pass the options of a runtime under its name: app.run({ http: { … }, stdio: { … } })',
      );
    const { transport } = given;
    if (transport !== undefined && transport !== 'http' && transport !== 'stdio')
      checks.refuse('transport', "it must be 'http' or 'stdio'");
    for (const name of ['http', 'stdio'] as const)
      if (given[name] !== undefined && typeof given[name] !== 'function')
        refuseNoOptions(name, given[name], checks);
  }
  checks.throwIfAny();
}

function refuseNoOptions(name: 'http' | 'stdio', options: unknown, checks: OptionChecks): void {
  if (isPlainObject(options) && !('start' in options)) return;
  const fix = `write app.run({ ${name}: { … } }), or app.run(${name}({ … })) to serve only over ${name}`;
  checks.refuse(name, `it must be the options of ${name}(), or a function that returns them`, fix);
}

/**
 * Chooses the runtime from the arguments of the program (`--http`, `--port N`, `--host H`, `--workers N`,
 * `--close-delay-ms N`, `--drain-ms N`, `--allow-anonymous`, `--stdio`), else from the environment variables, else from
 * the options. The variables are `MCP_TRANSPORT`, `PORT`, `HOST`, `WORKERS`, `CLOSE_DELAY_MS` and `DRAIN_MS`. The
 * default is stdio.
 *
 * A program can have other flags. A flag that differs from a listed flag by one typing error, such as `--prot`, is
 * refused. Arguments after `--` are not read.
 *
 * @throws DefinitionError if an argument, a variable or an option is wrong, or if the package of the runtime is not
 *   installed.
 * @throws any error that a function in the options throws.
 */
export async function chooseRuntime(options: RunOptions = {}): Promise<Runtime> {
  const args = ownArguments();
  checkFlags(args);
  if (chosenTransport(options.transport ?? 'stdio') === 'stdio') {
    const flag = [...VALUE_FLAGS, '--allow-anonymous'].find((each) => indexOf(args, each) >= 0);
    if (flag !== undefined)
      throw wrong(
        flag,
        `${flag} needs --http, because over stdio the program does not listen`,
        'add --http',
        flag,
      );
    const { stdio } = await load('@sigil/stdio');
    if (!stdio) throw missing('@sigil/stdio');
    return stdio(await optionsOf('stdio', options.stdio));
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
    ...(await optionsOf('http', options.http, withoutUndefined({ host, port }))),
    ...withoutUndefined({ port, host, workers, closeDelayMs, drainMs, allowAnonymous }),
  });
}

/** Returns the options of a runtime. */
type Give = (listen: ListenAddress) => MaybePromise<object>;

const gives = (options: object): options is Give => typeof options === 'function';

async function optionsOf(
  name: 'http' | 'stdio',
  given: object | Give = {},
  listen: ListenAddress = {},
): Promise<object> {
  if (!gives(given)) return given;
  const options = await given(listen);
  const checks = new OptionChecks('app.run');
  refuseNoOptions(name, options, checks);
  checks.throwIfAny();
  return options;
}

type GivenRuntime = Pick<Runtime, 'logger' | 'ownsProcess' | 'handleSignals'>;

const SERVES_NOTHING: GivenRuntime = { ownsProcess: true, handleSignals: true };

/** Time for side effects of tasks without clients, in milliseconds: as long as for requests over HTTP. */
const DEFAULT_DRAIN_MS = 5_000;

/**
 * Returns a runtime that runs tasks and serves no clients, until a signal ends the program. Used for
 * `tasks.worker: 'only'`.
 *
 * @param given the runtime that was passed to `app.run()`. Its logger is used, and its `handleSignals` decides whether
 *   signals end the program.
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
      endpoint.logger.info("this process runs tasks and serves no clients, because of tasks.worker: 'only'");
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
        // Leftovers of handlers must not keep an ending process alive.
        appCloses: (disposed) => void disposed.finally(signal.exit).catch(() => undefined),
      };
      return Promise.resolve(running);
    },
  };
}

/**
 * Redirects standard output to standard error while the app is created, unless the arguments or variables choose HTTP,
 * or the program is only inspected.
 *
 * @returns a function that restores standard output.
 */
export function reserveStdout(): () => void {
  return chosenTransport('stdio') === 'stdio' && !isInspected() ? divertStdout() : () => undefined;
}

/**
 * Returns the chosen transport.
 * @param byDefault the transport if neither an argument nor a variable chooses one.
 */
function chosenTransport(byDefault: 'http' | 'stdio'): 'http' | 'stdio' {
  const args = ownArguments();
  if (args.includes('--http')) return 'http';
  if (args.includes('--stdio')) return 'stdio';
  const variable = environmentVariable('MCP_TRANSPORT');
  return variable === 'http' || variable === 'stdio' ? variable : byDefault;
}

function ownArguments(): readonly string[] {
  const args = programArguments();
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

function checkFlags(args: readonly string[]): void {
  if (args.includes('--http') && args.includes('--stdio'))
    throw wrong('--stdio', '--http and --stdio exclude each other', 'use one of them');
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

/**
 * Whether one text becomes the other when one character is added, removed or replaced, or when two neighbours swap
 * places.
 */
function isTypingError(typed: string, known: string): boolean {
  const [a, b] = [typed.toLowerCase(), known];
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const swapped = `${restA[1] ?? ''}${restA[0] ?? ''}${restA.slice(2)}`;
  return [restA.slice(1), restA].includes(restB.slice(1)) || restA.slice(1) === restB || swapped === restB;
}

/** Returns the value of a flag. @throws DefinitionError if it is missing, or if another flag follows. */
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

/** Parses the value of a flag or variable. `where` is its name, for messages. */
type Parse<T> = (text: string, where: string) => T;

function read<T>(args: readonly string[], flag: string, variable: string, parse: Parse<T>): T | undefined {
  const given = valueOf(args, flag);
  if (given !== undefined) return parse(given, flag);
  const set = environmentVariable(variable);
  return set === undefined ? undefined : parse(set, variable);
}

/** Creates a parser for integers. @param kind the kind of value, for messages. */
function integer(least: number, most: number, kind: string, fix: string): Parse<number> {
  return (text, where) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw wrong(where, `'${text}' is ${kind}`, fix);
  };
}

const readPort = integer(0, 65535, 'not a port', 'use a number from 0 (any free port) to 65535');
const readCount = integer(
  1,
  Infinity,
  'not a number of processes',
  'use a number of 1 or more, such as the number of cores',
);
const readDelay = integer(0, Infinity, 'not a time', 'use a number of milliseconds, such as 5000');

function readHost(text: string, where: string): string {
  // With an empty host, Node would listen on every address.
  if (text.trim() !== '') return text;
  throw wrong(where, 'the host is empty', 'use an address, such as 127.0.0.1, or leave it out');
}

async function load(name: '@sigil/http' | '@sigil/stdio'): Promise<RuntimeModule> {
  const { importTransport } = await import('#transport-packages');
  const imported = await importTransport(name);
  if ('module' in imported) return imported.module;
  const { code } = imported.error as { code?: unknown };
  // The second is the bundlers' code for a package that was missing at the build.
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') throw missing(name, imported.error);
  throw imported.error;
}

/**
 * Returns the error for an invalid flag or variable. @param own a similar flag that may be the program's own.
 */
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
    fix: `npm install ${name}, or pass another runtime to app.run()`,
  };
  return new DefinitionError([problem], { cause });
}
