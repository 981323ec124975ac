import { EXIT_CODES, type ExitCode } from '../failures.js';
import type { JsonObject } from '../json.js';
import { type UsedServer, useServer } from '../program/call.js';
import { type AskUser, createAnswerer, readAnswer } from '../questions/answerer.js';
import { inOneLine, type Terminal } from '../terminal.js';
import { addressOf, readChoice } from './command.js';
import { LATEST_VERSION, REVISION_FEATURES } from '@sigil/core/transport';

/** The options of commands that use a server as an MCP client. */
export const USE_OPTIONS = {
  answer: {
    type: 'string',
    value: 'answer',
    multiple: true,
    about:
      'an answer to a question of the server: a JSON object, accept, decline or cancel; repeat the option for several answers, in order',
  },
  root: {
    type: 'string',
    value: 'folder',
    multiple: true,
    about: 'a folder to send to the server as a root',
  },
  out: {
    type: 'string',
    value: 'folder',
    about: 'the folder for images, audio and other files in the result',
  },
  revision: {
    type: 'string',
    value: 'date',
    about: 'the protocol revision to use; by default the newest that the server supports',
  },
} as const;

/** The values of the options for using a server. */
interface UseValues {
  readonly answer?: readonly string[] | undefined;
  readonly root?: readonly string[] | undefined;
  readonly revision?: string | undefined;
  readonly main?: string | undefined;
  readonly url?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly timeout: string;
  readonly json?: boolean | undefined;
  readonly task?: boolean | undefined;
}

/**
 * Connects to the server that the arguments name, and calls `use`. Meanwhile, progress, log messages and tasks
 * are shown, and questions from the server are answered. Ctrl-C cancels the request.
 *
 * @param command the arguments after `--`.
 * @param use a function that sends requests to the server, and returns the exit code of the command.
 */
export async function withServer(
  values: UseValues,
  command: readonly string[] | undefined,
  terminal: Terminal,
  use: (server: UsedServer) => Promise<ExitCode>,
): Promise<ExitCode> {
  const [address, options] = addressOf(undefined, command, values, terminal);
  // Tasks are an extension that only the newest revision has.
  const wanted = values.revision ?? (values.task ? LATEST_VERSION : undefined);
  const revision = wanted === undefined ? undefined : readChoice('--revision', wanted, REVISION_FEATURES);
  const answers = (values.answer ?? []).map(readAnswer);
  const say = (line: string): void => {
    if (!values.json) terminal.err(inOneLine(line));
  };
  let isTask = false;
  const ending = new AbortController();
  const { signal } = ending;
  // A second Ctrl-C ends this process as usual.
  const interrupt = (): void => ending.abort(INTERRUPTED);
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const askUser = await askInTerminal(terminal, signal, interrupt);
    const answer = createAnswerer({ answers, roots: values.root ?? [], askUser, say });
    const client = {
      revision,
      tasks: values.task === true,
      answer,
      signal,
      onNotification: (method: string, params: JsonObject) => notificationLines(method, params).forEach(say),
      onTask: ({ taskId, status, statusMessage }: JsonObject) => {
        isTask = true;
        say(
          `task ${String(taskId)}: ${String(status)}${typeof statusMessage === 'string' ? `, ${statusMessage}` : ''}`,
        );
      },
    };
    const code = await useServer(address, options, client, use);
    if (values.task && !isTask) say('the server answered without a task');
    return code;
  } catch (error) {
    if (signal.aborted) return EXIT_CODES.interrupted;
    throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

const INTERRUPTED = new Error('interrupted');

async function askInTerminal(
  { desk }: Terminal,
  signal: AbortSignal,
  interrupt: () => void,
): Promise<AskUser | undefined> {
  if (!desk) return undefined;
  const { askByKeys } = await import('../questions/form.js');
  return askByKeys({ ...desk, signal, interrupt });
}

/** Returns a notification as lines for people. */
function notificationLines(method: string, params: JsonObject): string[] {
  if (method === 'notifications/progress') {
    const { progress, total, message } = params;
    const far = `${String(progress)}${typeof total === 'number' ? ` of ${total}` : ''}`;
    return [`${far}${typeof message === 'string' ? `  ${message}` : ''}`];
  }
  if (method !== 'notifications/message') return [];
  const { level, logger, data } = params;
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return [`${String(level)}${typeof logger === 'string' ? ` ${logger}` : ''}: ${text}`];
}
