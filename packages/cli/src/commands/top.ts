import { EXIT_CODES, type ExitCode, UsageError } from '../failures.js';
import type { JsonObject } from '../json.js';
import { jsonText, type Screen, type Terminal } from '../terminal.js';
import { Activity } from '../top/activity.js';
import { eventLine, screenLines } from '../top/lines.js';
import { type EventsAddress, type ServerWatcher, watchServer } from '../top/watch-server.js';
import { type Command, readArguments, readTimeout, readUrl, SERVER_OPTIONS } from './command.js';

const DEFAULT_TOKEN_ENV = 'SIGIL_EVENTS_TOKEN';

const OPTIONS = {
  path: { type: 'string', value: 'path', default: '/events', about: "the path of the server's events" },
  'token-env': {
    type: 'string',
    value: 'name',
    default: DEFAULT_TOKEN_ENV,
    about: "the environment variable with the token for the server's events",
  },
  timeout: SERVER_OPTIONS.timeout,
  json: { type: 'boolean', about: 'write each event as a line of JSON' },
} as const;

/** Milliseconds between updates of the screen. */
const DRAW_MS = 1_000;

/** `sigil top`: shows the activity of a running server. */
export const top: Command = {
  synopsis: 'top <url> [--path <path>] [--token-env <name>]',
  purpose: 'show the latest calls, rates, tasks and refusals of a running server',
  example: 'top http://127.0.0.1:3000',
  options: OPTIONS,
  async run(args, terminal) {
    const { values, operands } = readArguments(args, OPTIONS, ['<url>']);
    const url = new URL(values.path, readUrl('<url>', operands[0] ?? ''));
    const token = process.env[values['token-env']];
    if (!token) throw new UsageError(`the environment variable ${values['token-env']} is not set`);
    const address = { url, token, timeoutMs: readTimeout(values.timeout) };
    const ending = new AbortController();
    let code: ExitCode = EXIT_CODES.ok;
    const end = (by: ExitCode): void => {
      code = by;
      ending.abort();
    };
    const interrupt = (): void => end(EXIT_CODES.interrupted);
    const terminate = (): void => end(EXIT_CODES.ok);
    process.on('SIGINT', interrupt).on('SIGTERM', terminate);
    try {
      if (!values.json && terminal.openScreen) await watchOnScreen(address, terminal, end, ending.signal);
      else await watchServer(address, lineWatcher(address.url.href, terminal, values.json), ending.signal);
    } finally {
      process.off('SIGINT', interrupt).off('SIGTERM', terminate);
    }
    return code;
  },
};

/** The keys that end the command, and the exit code of each. */
const KEYS: ReadonlyMap<string, ExitCode> = new Map([
  ['q', EXIT_CODES.ok],
  ['Q', EXIT_CODES.ok],
  ['\u0003', EXIT_CODES.interrupted],
]);

async function watchOnScreen(
  address: EventsAddress,
  terminal: Terminal,
  end: (code: ExitCode) => void,
  signal: AbortSignal,
): Promise<void> {
  const activity = new Activity(performance.now());
  let lostBy: string | undefined;
  let screen: Screen | undefined;
  const draw = (): void => {
    if (!screen) return;
    const { columns, rows } = screen;
    const now = performance.now();
    screen.draw(screenLines(activity, { url: address.url.href, lostBy, columns, rows, terminal, now }));
  };
  const timer = setInterval(draw, DRAW_MS);
  try {
    await watchServer(
      address,
      {
        connected() {
          // The screen is not opened before, so that an initial error is printed at the prompt.
          screen ??= terminal.openScreen?.((key) => {
            const code = KEYS.get(key);
            if (code !== undefined) end(code);
          });
          lostBy = undefined;
          activity.forgetOpen();
        },
        lost(why) {
          lostBy = `connects again: ${why}`;
          draw();
        },
        told(event, data) {
          const isFirst = !activity.state;
          activity.add(event, data, performance.now());
          if (isFirst) draw();
        },
      },
      signal,
    );
  } finally {
    clearInterval(timer);
    screen?.close();
  }
}

/** Writes a line for each event. Changes of the connection go to standard error. */
function lineWatcher(url: string, terminal: Terminal, asJson = false): ServerWatcher {
  const activity = new Activity(performance.now());
  let isAgain = false;
  return {
    connected() {
      terminal.err(`sigil: watches ${url}${isAgain ? ' again' : ''}`);
      isAgain = true;
    },
    lost: (why) => terminal.err(`sigil: connects again: ${why}`),
    told(event: string, data: JsonObject) {
      if (asJson) return terminal.out(jsonText({ event, ...data }));
      const shown = activity.add(event, data, performance.now());
      if (shown) terminal.out(eventLine(terminal, shown));
    },
  };
}
