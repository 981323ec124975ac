import { METHODS } from '@sigil/core/transport';
import { roundingNote } from '../exact-numbers.js';
import { EXIT_CODES, ServerError } from '../failures.js';
import { type JsonObject, objectOf } from '../json.js';
import type { UsedServer } from '../program/call.js';
import { AnsweredError, TASKS } from '../program/connection.js';
import { everyPage } from '../program/manifest.js';
import { parameterHeaders } from '../program/parameter-headers.js';
import { argumentRows } from '../schema/schema-text.js';
import { inOneLine, show, table } from '../terminal.js';
import {
  ADDRESS_OPTIONS,
  type Command,
  MAIN_OPTION,
  readArguments,
  SERVER_OPTIONS,
  splitArguments,
} from './command.js';
import { readGiven, readPairs, seemsToFit } from './given-arguments.js';
import { blockLines, contentsLines, resultLines } from './shown-content.js';
import { USE_OPTIONS, withServer } from './use-server.js';

const OPTIONS = { ...USE_OPTIONS, ...MAIN_OPTION, ...ADDRESS_OPTIONS, ...SERVER_OPTIONS } as const;

const CALL_OPTIONS = {
  task: { type: 'boolean', about: 'run the tool as a task, and wait until the task ends' },
  ...OPTIONS,
} as const;

const SERVER = '[--main <main.js>|--url <url>|-- <command>]';

/** `sigil call`: calls a tool. */
export const call: Command = {
  synopsis: `call <tool> [<json>|@<file>|-|<name>=<value>…] [--task] [--answer <answer>]… ${SERVER}`,
  purpose: 'call a tool, and show its result',
  example: 'call check_inventory sku=TNT-1002 --main dist/main.js',
  options: CALL_OPTIONS,
  run(args, terminal) {
    const { own, server: command } = splitArguments(args);
    const { values, operands } = readArguments(own, CALL_OPTIONS, ['<tool>'], 'any');
    const [name = '', ...given] = operands;
    return withServer(values, command, terminal, async (server) => {
      const tool = await findTool(server, name);
      const schema = objectOf(tool['inputSchema']);
      const showWanted = (): void => wantedLines(name, schema).forEach((line) => terminal.err(line));
      const args = readTyped(given, schema, showWanted);
      const isStrange = !seemsToFit(args, schema);
      const result = await server
        .call(METHODS.callTool, { name, arguments: args }, parameterHeaders(schema, args))
        .catch((error: unknown) => {
          if (!(error instanceof AnsweredError)) throw error;
          if (isStrange) showWanted();
          if (!error.said.includes(TASKS)) throw error;
          throw new ServerError(`${name} only runs as a task: use --task`);
        });
      if (!Array.isArray(result['content']) && result['structuredContent'] === undefined)
        noResult(METHODS.callTool);
      show(terminal, values, result, () => resultLines(result, { out: values.out, name }));
      const note = roundingNote(result);
      if (note !== undefined) terminal.err(inOneLine(note));
      if (result['isError'] !== true) return EXIT_CODES.ok;
      if (isStrange && !values.json) showWanted();
      return EXIT_CODES.found;
    });
  },
};

/** `sigil read`: reads a resource. */
export const read: Command = {
  synopsis: `read <uri> ${SERVER}`,
  purpose: 'read a resource of a server',
  example: 'read commerce://stock/low --main dist/main.js',
  options: OPTIONS,
  run(args, terminal) {
    const { own, server: command } = splitArguments(args);
    const { values, operands } = readArguments(own, OPTIONS, ['<uri>']);
    const [uri = ''] = operands;
    return withServer(values, command, terminal, async (server) => {
      const result = await server.call(METHODS.readResource, { uri });
      const save = { out: values.out, name: uri.split('/').at(-1) ?? uri };
      show(terminal, values, result, () =>
        listIn(METHODS.readResource, result, 'contents').flatMap((one) => contentsLines(one, save)),
      );
      return EXIT_CODES.ok;
    });
  },
};

/** `sigil get`: gets a prompt. */
export const get: Command = {
  synopsis: `get <prompt> [<name>=<value>…] ${SERVER}`,
  purpose: 'get a prompt, and show its messages',
  example: 'get product_translation sku=TNT-1002 language=French --main dist/main.js',
  options: OPTIONS,
  run(args, terminal) {
    const { own, server: command } = splitArguments(args);
    const { values, operands } = readArguments(own, OPTIONS, ['<prompt>'], 'any');
    const [name = '', ...given] = operands;
    return withServer(values, command, terminal, async (server) => {
      // All arguments of prompts are strings.
      const args =
        given[1] === undefined && given[0]?.startsWith('{')
          ? readGiven(given, {})
          : readPairs(given, () => ({ type: 'string' }));
      const result = await server.call(METHODS.getPrompt, { name, arguments: args });
      show(terminal, values, result, () =>
        listIn(METHODS.getPrompt, result, 'messages').flatMap((message) => {
          const { role, content } = objectOf(message);
          return [`${String(role)}:`, ...blockLines(content, { out: values.out, name }), ''];
        }),
      );
      return EXIT_CODES.ok;
    });
  },
};

/** Reads arguments. @param showWanted called before an error about an argument of the wrong type. */
function readTyped(given: readonly string[], schema: JsonObject, showWanted: () => void): JsonObject {
  try {
    return readGiven(given, schema);
  } catch (error) {
    showWanted();
    throw error;
  }
}

/** Returns the tool with a name, from the server's list. */
async function findTool({ connection, capabilities }: UsedServer, name: string): Promise<JsonObject> {
  const tools = 'tools' in capabilities ? await everyPage(connection, METHODS.listTools, 'tools') : [];
  const found = tools.find((tool) => tool['name'] === name);
  if (found) return found;
  const names = tools.map((tool) => inOneLine(String(tool['name']))).join(', ');
  throw new ServerError(
    `there is no tool '${name}': ${names === '' ? 'the server shows none' : `there are ${names}`}`,
  );
}

/** Returns lines that describe the expected arguments of a tool. */
function wantedLines(name: string, schema: JsonObject): string[] {
  const rows = argumentRows(schema).map((row) => row.map(inOneLine));
  return [
    rows.length === 0 ? `${name} takes no arguments` : `${name} takes`,
    ...table(rows).map((line) => `  ${line}`),
  ];
}

/** Returns a list in a result. @throws ServerError if the result has no list under this name. */
function listIn(method: string, result: JsonObject, member: string): unknown[] {
  const list = result[member];
  return Array.isArray(list) ? list : noResult(method);
}

function noResult(method: string): never {
  throw new ServerError(`the server's answer to ${method} is not a result`);
}
