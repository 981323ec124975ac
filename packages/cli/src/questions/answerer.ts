/*
 * Answers questions of a server while `sigil call` waits: with values of the command line, else in the terminal by
 * `form.ts`, else with a refusal. `fields.ts` reads the fields of a form.
 */

import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { METHODS } from '@sigil/core/transport';
import { UsageError } from '../failures.js';
import { isObject, type JsonObject, parseJson } from '../json.js';
import { type Answerer, RefusedQuestion } from '../program/connection.js';
import { inOneLine } from '../terminal.js';
import { describeFields, exampleOf, fieldsOf } from './fields.js';

/** The answer to one elicitation, which shows a form or a page. */
export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: JsonObject;
}

/** Asks the user. */
export type AskUser = (question: JsonObject) => Promise<ElicitAnswer>;

/** The sources of answers. */
export interface AnswerSources {
  /** The answers from the command line, in the order of the questions. */
  readonly answers: readonly ElicitAnswer[];
  /** Folders that are sent to the server as its roots. */
  readonly roots: readonly string[];
  /** Asks the user; absent if there is no terminal. */
  readonly askUser?: AskUser | undefined;
  /** Shows the user a question whose answer comes from the command line. */
  readonly say: (line: string) => void;
}

/** The actions that an answer may consist of. */
const ACTIONS = ['accept', 'decline', 'cancel'] as const satisfies ElicitAnswer['action'][];

/** Reads an answer from the command line. @throws UsageError if the answer is invalid. */
export function readAnswer(text: string): ElicitAnswer {
  const action = ACTIONS.find((one) => one === text);
  if (action) return { action };
  const content = parseJson(text);
  if (isObject(content)) return { action: 'accept', content };
  throw new UsageError(`--answer must be a JSON object, accept, decline or cancel, not '${text}'`);
}

const INVALID_PARAMS = -32602;

/** Creates the function that answers a server's questions. */
export function createAnswerer({ answers, roots, askUser, say }: AnswerSources): Answerer {
  const left = [...answers];
  const elicit = async (question: JsonObject): Promise<ElicitAnswer> => {
    const { message, mode, url } = question;
    if (typeof message !== 'string')
      throw new RefusedQuestion(`the server sends ${METHODS.elicit} without a message`, INVALID_PARAMS);
    if (mode === 'url' && !(typeof url === 'string' && URL.canParse(url) && /^https?:/i.test(url)))
      throw new RefusedQuestion(
        `the server asks to open a page whose URL is not an HTTP URL: ${inOneLine(String(url))}`,
        INVALID_PARAMS,
      );
    const given = left.shift();
    if (given) {
      say(`the server asks: ${String(question['message'])}`);
      return given;
    }
    if (askUser) return askUser(question);
    throw new RefusedQuestion(whatToAnswer(question));
  };
  return (method, params) => {
    if (method === METHODS.elicit) return elicit(params);
    if (method === METHODS.listRoots)
      return {
        roots: roots.map((folder) => ({
          uri: pathToFileURL(resolve(folder)).href,
          name: basename(resolve(folder)),
        })),
      };
    if (method === METHODS.createMessage)
      throw new RefusedQuestion(
        `the server asks a model (${method}), but sigil has no model: call this tool with a client that has one`,
      );
    throw new RefusedQuestion(`the server sends ${method}, which sigil does not support`, -32601);
  };
}

function whatToAnswer(question: JsonObject): string {
  const asks = `the server asks: ${inOneLine(String(question['message']))}`;
  if (question['mode'] === 'url')
    return `${asks}\n  It asks to open this page: ${inOneLine(String(question['url']))}\nAnswer with --answer accept or --answer decline`;
  const fields = fieldsOf(question);
  const lines = describeFields(fields).map((line) => `\n  ${inOneLine(line)}`);
  return `${asks}${lines.join('')}\nAnswer by --answer '${JSON.stringify(exampleOf(fields))}', or --answer decline`;
}
