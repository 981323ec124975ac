import { resolve } from 'node:path';
import { compilerCommand } from '../dev/compiler-command.js';
import { DevLoop } from '../dev/dev-loop.js';
import { logOf } from '../dev/dev-lines.js';
import { type DevListener, DevState, type OutputLine } from '../dev/dev-state.js';
import { DevTerminal } from '../dev/dev-terminal.js';
import { EXIT_CODES, type ExitCode, UsageError } from '../failures.js';
import { startPage } from '../page/page-server.js';
import { styled, type Terminal, withoutColours } from '../terminal.js';
import { eventLine } from '../top/lines.js';
import {
  type Command,
  MAIN_OPERAND,
  MAIN_OPTION,
  mainOf,
  readArguments,
  readPort,
  splitArguments,
} from './command.js';

const OPTIONS = {
  compile: { type: 'string', value: 'command', about: 'a command that runs another compiler in watch mode' },
  'page-port': {
    type: 'string',
    value: 'port',
    about: 'the port of the page of sigil dev; the first free port from 3100 by default',
  },
  'no-page': { type: 'boolean', about: 'serve no page' },
  plain: { type: 'boolean', about: 'write lines without colours instead of the full-screen display' },
  ...MAIN_OPTION,
} as const;

/** `sigil dev`: compiles after every change, and restarts the server. */
export const dev: Command = {
  synopsis: 'dev [<main.js>] [--compile <command>] [--page-port <port>|--no-page] [--plain] [-- <argument>…]',
  purpose: 'compile after every change, and restart the server over HTTP',
  example: 'dev dist/main.js -- --http --port 8080',
  options: OPTIONS,
  async run(args, standard) {
    const { own, server = DEFAULT_ARGUMENTS } = splitArguments(args);
    const { values, operands } = readArguments(own, OPTIONS, [], [MAIN_OPERAND]);
    const cwd = process.cwd();
    const terminal = values.plain ? withoutColours(standard) : standard;
    const openScreen = values.plain ? undefined : terminal.openScreen;
    // A screen sets its own colours.
    const hasColours = terminal.hasColours && !openScreen;
    const state = new DevState();
    if (!openScreen) state.subscribe(lineWriter(terminal));
    const warn = (line: string): void => state.write('sigil', line);
    const entry = resolve(cwd, mainOf(operands[0], values.main));
    const port = pagePort(values['page-port'], values['no-page']);
    const compiler = compilerCommand({ cwd, compile: values.compile, hasColours, warn });
    const program = { cwd, main: entry, state, served: () => loop.served() };
    const page = values['no-page'] ? undefined : await startPage(program, { port });
    if (page) state.write('sigil', `page ${page.url}`);
    const loop = new DevLoop(
      {
        cwd,
        entry,
        args: server,
        env: { ...process.env, ...(hasColours ? { FORCE_COLOR: '1' } : {}) },
        compiler,
      },
      state,
    );
    const stops = onStopSignals(
      (code) => loop.stop(code),
      () => loop.kill(),
    );
    const screen =
      openScreen &&
      new DevTerminal(loop, terminal, openScreen, {
        pageUrl: page?.url,
        quit: () => stops.pressed('SIGTERM'),
        interrupt: () => stops.pressed('SIGINT'),
      });
    return loop.ended.finally(() => {
      stops.stopListening();
      page?.close();
      if (!screen) return;
      screen.close();
      for (const line of state.compiler.problems) terminal.out(line);
      for (const line of logOf(state).slice(-LINES_AT_END)) terminal.out(line);
    });
  },
};

/** Number of output lines that are printed when the screen closes. */
const LINES_AT_END = 20;

/** Writes events as lines if there is no screen. */
function lineWriter(terminal: Terminal): DevListener {
  return {
    written: (line) => writeLine(terminal, line),
    told(_event, _data, shown) {
      if (shown) terminal.out(eventLine(terminal, shown));
    },
  };
}

/**
 * Returns the port of the page; `undefined` for the default. @throws UsageError if it is not a port, or if
 * the page is turned off.
 */
function pagePort(text: string | undefined, hasNone: boolean | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (hasNone) throw new UsageError('--page-port needs the page: remove --no-page');
  return readPort('--page-port', text);
}

/** Writes a line from the compiler, the server or `sigil dev` itself. */
function writeLine(terminal: Terminal, { source, text, isError }: OutputLine): void {
  if (source === 'sigil') terminal.out(styled(terminal, 'dim', `sigil: ${text}`));
  else if (isError) terminal.err(text);
  else terminal.out(text);
}

/** The default arguments of the server. It uses HTTP, because it would have no client on standard streams. */
const DEFAULT_ARGUMENTS: readonly string[] = ['--http'];

/**
 * The signals that end the development loop, with their exit codes. Ctrl-C counts as an interruption, the others as a
 * regular end.
 */
const STOPS = { SIGINT: EXIT_CODES.interrupted, SIGTERM: EXIT_CODES.ok, SIGHUP: EXIT_CODES.ok } as const;

type StopSignal = keyof typeof STOPS;

/** Ends the development loop. */
interface Stops {
  /** Handles a key like a signal. */
  pressed(signal: StopSignal): void;
  stopListening(): void;
}

/**
 * `npm run` forwards a signal that the terminal has already sent to all processes. So a second signal within this time,
 * in milliseconds, is the first one again.
 */
const ECHO_MS = 500;

/**
 * Listens for the signals that ask a process to end.
 *
 * @param stop called at the first signal, with its exit code.
 * @param force called at each further signal.
 */
function onStopSignals(stop: (code: ExitCode) => void, force: () => void): Stops {
  const state: { stoppingSince?: number } = {};
  const ask = (signal: StopSignal, echoMs: number): void => {
    const now = performance.now();
    if (state.stoppingSince !== undefined) {
      if (now - state.stoppingSince >= echoMs) force();
      return;
    }
    state.stoppingSince = now;
    stop(STOPS[signal]);
  };
  const listeners = Object.entries(STOPS).map(([name]) => {
    const signal = name as StopSignal;
    return [signal, () => ask(signal, ECHO_MS)] as const;
  });
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return {
    // A screen reads keys itself, so no key arrives twice.
    pressed: (signal) => ask(signal, 0),
    stopListening() {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    },
  };
}
