import { existsSync, realpathSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import { parse } from 'acorn';
import type { Principal } from '@sigil/core';
import { messageOf } from '@sigil/core/internal';
import { LATEST_VERSION, META, METHODS } from '@sigil/core/transport';
import { ServerError } from '../failures.js';
import { isObject, type JsonObject, objectOf } from '../json.js';
import { Connection } from '../program/connection.js';
import { everyPage } from '../program/manifest.js';
import { askProgram } from '../program/program.js';
import { Refusal } from './answers.js';
import { hasCode } from './listening.js';
import {
  commandTest,
  expectations,
  onlyText,
  type Project,
  type SavedCall,
  templateTest,
} from './test-text.js';

/** Maximum time until a newly started program answers, in milliseconds. */
const ANSWER_MS = 10_000;
/** Maximum length of a tool's name, and of a test's title. */
const MOST_OF_NAME = 200;
/** How often a read-only tool is called again, because random values may be equal once by chance. */
const REPEATS = 3;
/** Maximum number of tests for one tool. */
const MOST_FILES = 100;

/** The result of `saveTest`. */
export interface SavedTest {
  /**
   * The path of the test, relative to the folder of the project. The file exists only if the page asked to write it.
   */
  readonly file: string;
  readonly text: string;
  /** A note for the user. */
  readonly note?: string;
}

/**
 * Creates a test that repeats a call and expects the same result. If possible, this function repeats the call in a
 * newly started program, and compares the results. For values that differ, the test only checks the type.
 *
 * @param given the call, as the page sent it.
 * @param principal the caller.
 * @throws Refusal if the request is invalid, or if the test would fail.
 */
export async function saveTest(
  project: Project,
  given: unknown,
  principal: Principal | undefined,
): Promise<SavedTest> {
  const call = callOf(given);
  const isOfTemplate = await exportsOptions(project);
  const isPlain = principal === undefined && call.answers.length === 0;
  if (!isOfTemplate && !isPlain)
    throw new Refusal(
      409,
      'To save a test that needs a login or answers to questions, export the options of the app as "options" from src/app.ts',
    );
  const fresh = isPlain ? await answerOf(project, call) : 'the call used a login or answers to questions';
  const others = [call.again, ...(typeof fresh === 'string' ? [] : fresh)].filter((one) => one !== undefined);
  const other = others.find(({ isError = false }) => isError !== (call.result['isError'] ?? false));
  if (other)
    throw new Refusal(
      409,
      `The repeated call has a different result, so the test would fail: ${summary(other)}`,
    );
  const folder = testFolder(project.cwd, isOfTemplate);
  const expected = expectations(call, others);
  const text = isOfTemplate
    ? templateTest(call, expected, principal, posix.relative(folder, 'src/app.js'))
    : commandTest(call, expected, project);
  const file = await fileFor(project.cwd, folder, call, text);
  const note = noteOn(fresh);
  return { file, text, ...(note !== undefined && { note }) };
}

/** Returns a note about the compared results, or about why there are none. */
function noteOn(fresh: readonly JsonObject[] | string): string | undefined {
  if (typeof fresh === 'string')
    return `The call could not be repeated on a new server process to compare the results: ${fresh}`;
  return fresh.length === 1
    ? 'The tool is not marked as read-only, so the call was repeated only once. If a random value was the same in all results by chance, the test can fail'
    : undefined;
}

/** Reads the call in a request. @throws Refusal if it is invalid. */
function callOf(given: unknown): SavedCall {
  const { tool, arguments: args = {}, result, again, title, partial, answers = [], write } = objectOf(given);
  if (typeof tool !== 'string' || tool === '' || tool.length > MOST_OF_NAME)
    throw new Refusal(400, `tool must be the name of a tool, and have at most ${MOST_OF_NAME} characters`);
  if (!isObject(args)) throw new Refusal(400, 'arguments must be an object');
  if (!isObject(result) || !(Array.isArray(result['content']) || 'structuredContent' in result))
    throw new Refusal(400, 'result must be the result of a call, with content or structuredContent');
  if (title !== undefined && (typeof title !== 'string' || title.length > MOST_OF_NAME))
    throw new Refusal(400, `title must be a string of at most ${MOST_OF_NAME} characters`);
  if (!Array.isArray(answers) || !answers.every(isAnswer))
    throw new Refusal(
      400,
      'answers must be a list of answers, each with its action: accept, decline or cancel',
    );
  return {
    tool,
    arguments: args,
    result,
    again: isObject(again) ? again : undefined,
    isPartial: partial === true,
    title: title || 'returns the saved result',
    answers,
    write: write === true,
  };
}

function isAnswer(value: unknown): value is JsonObject {
  return isObject(value) && ['accept', 'decline', 'cancel'].includes(String(value['action']));
}

/** Whether a test can create the app as in the templates: from the export `options` of `src/app.ts`. */
async function exportsOptions({ cwd, main }: Project): Promise<boolean> {
  if (!existsSync(join(cwd, 'src/app.ts'))) return false;
  const code = await readFile(join(dirname(main), 'app.js'), 'utf8').catch(() => '');
  try {
    return parse(code, { ecmaVersion: 'latest', sourceType: 'module' }).body.some((statement) => {
      if (statement.type !== 'ExportNamedDeclaration') return false;
      const declared =
        statement.declaration?.type === 'VariableDeclaration' ? statement.declaration.declarations : [];
      const names = [
        ...declared.map(({ id }) => id),
        ...statement.specifiers.map(({ exported }) => exported),
      ];
      return names.some((name) => name.type === 'Identifier' && name.name === 'options');
    });
  } catch {
    return false;
  }
}

/**
 * Returns the results of the same call in a newly started program, several for a read-only tool; or the
 * reason why there are none.
 */
function answerOf(
  { cwd, main }: Project,
  { tool, arguments: args }: SavedCall,
): Promise<readonly JsonObject[] | string> {
  const envelope = {
    [META.protocolVersion]: LATEST_VERSION,
    [META.clientInfo]: { name: 'sigil', version: '1.0.0' },
    [META.clientCapabilities]: {},
  };
  return askProgram(main, {}, { timeoutMs: ANSWER_MS, cwd }, async (program) => {
    const connection = new Connection(program, envelope, {});
    const tools = await everyPage(connection, METHODS.listTools, 'tools');
    const { annotations } = objectOf(tools.find(({ name }) => name === tool));
    const times = objectOf(annotations)['readOnlyHint'] === true ? REPEATS : 1;
    const results: JsonObject[] = [];
    while (results.length < times)
      results.push(await connection.request(METHODS.callTool, { name: tool, arguments: args }));
    return results;
  }).then(
    (results) =>
      results.every((result) => 'content' in result)
        ? results
        : 'the tool asks the client for input, or continues the call as a task',
    (error: unknown) => {
      if (error instanceof ServerError) return messageOf(error);
      throw error;
    },
  );
}

function summary({ content, isError }: JsonObject): string {
  const text = Array.isArray(content) ? onlyText(content) : undefined;
  return `${isError === true ? 'an error' : 'no error'}${text === undefined ? '' : `, ${text.slice(0, 300)}`}`;
}

/** Returns the folder for a new test, relative to the folder of the project. */
function testFolder(cwd: string, isOfTemplate: boolean): string {
  const [folder = 'test'] = ['test', 'tests'].filter((name) => existsSync(join(cwd, name)));
  return isOfTemplate && existsSync(join(cwd, folder, 'tools')) ? `${folder}/tools` : folder;
}

/** Returns an unused file name, relative to the folder of the project. Writes the file if requested. */
async function fileFor(
  cwd: string,
  folder: string,
  { tool, write }: SavedCall,
  text: string,
): Promise<string> {
  // Nothing of the name leads to another folder.
  const name =
    tool
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 80) || 'tool';
  for (let number = 1; number <= MOST_FILES; number += 1) {
    const file = `${folder}/${name}${number === 1 ? '' : `-${number}`}.test.ts`;
    if (existsSync(join(cwd, file))) continue;
    if (!write) return file;
    await mkdir(join(cwd, folder), { recursive: true });
    const inside = realpathSync(cwd) + sep;
    if (!realpathSync(join(cwd, folder)).startsWith(inside))
      throw new Refusal(409, `${folder} is outside of the project, so no test is written there`);
    try {
      await writeFile(join(cwd, file), text, { flag: 'wx' });
      return file;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
  throw new Refusal(409, `There are ${MOST_FILES} tests of ${tool} in ${folder}: remove some of them`);
}
