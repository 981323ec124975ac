import { DefinitionError, isProtocolError } from '../errors/errors.js';
import { isObject } from '../protocol/json.js';
import type { Principal } from '../protocol/principal.js';
import { type Inspectable, partsOf } from './app-parts.js';
import { explain } from './explain.js';
import { inspectSessions } from './inspect-sessions.js';
import { environmentVariable } from './platform.js';
import { manifestOf } from './manifest.js';

/**
 * Returns the information that the environment variable `SIGIL_INSPECT` requests, as one line of JSON. The variable has
 * one of these values:
 *
 * - `manifest` requests the manifest of the app.
 * - `why` requests the result of `explain()` for the name in `SIGIL_INSPECT_NAME` and the principal in
 *   `SIGIL_INSPECT_PRINCIPAL`.
 * - `sessions`, or the name of an extension such as `tasks`, requests the result of a command about sessions or about
 *   the extension. The command is a JSON object in a further variable, such as `{"do":"ls"}` in `SIGIL_INSPECT_TASKS`.
 *   If the command throws a `ProtocolError`, the line contains the message of the error.
 *
 * @throws DefinitionError if the value of `SIGIL_INSPECT` is unknown, or if another variable is invalid.
 */
export async function answerQuestion(app: Inspectable): Promise<string> {
  const question = environmentVariable('SIGIL_INSPECT') ?? '';
  if (question === 'manifest') return JSON.stringify(manifestOf(app));
  if (question === 'why') {
    const name = environmentVariable('SIGIL_INSPECT_NAME') ?? '';
    const principal = readPrincipal(environmentVariable('SIGIL_INSPECT_PRINCIPAL'));
    return JSON.stringify(await explain(app, name, principal));
  }
  const { engine, backend, logger } = partsOf(app);
  const inspect: typeof engine.inspect = {
    ...engine.inspect,
    sessions: (asked) => inspectSessions(backend?.sessions, asked, logger),
  };
  const names = ['manifest', 'why', ...Object.keys(inspect)];
  const answer = Object.hasOwn(inspect, question) ? inspect[question] : undefined;
  if (!answer) throw invalid('SIGIL_INSPECT', `'${question}' is not a question`, names.join(' or '));
  const variable = `SIGIL_INSPECT_${question.toUpperCase()}`;
  const text = environmentVariable(variable) ?? '{}';
  const asked = parse(text);
  if (!isObject(asked))
    throw invalid(variable, `'${text}' is not a JSON object`, 'an object such as {"do":"ls"}');
  return JSON.stringify({ format: ANSWER_FORMAT, ...(await answered(() => answer(asked))) });
}

/** The format of an extension's answer. */
const ANSWER_FORMAT = 'sigil-answer/1';

/**
 * Returns the answer to a question, or its error in the same form, because an error does not mean that the
 * program has failed.
 */
async function answered(answer: () => object | Promise<object>): Promise<object> {
  try {
    return { answer: await answer() };
  } catch (error) {
    if (isProtocolError(error)) return { error: error.message };
    throw error;
  }
}

function readPrincipal(text: string | undefined): Principal | undefined {
  if (text === undefined || text === '') return undefined;
  const principal = parse(text);
  if (isObject(principal) && typeof principal['id'] === 'string') return principal as unknown as Principal;
  throw invalid('SIGIL_INSPECT_PRINCIPAL', `'${text}' is not a principal`, '{"id":"ada","scopes":["admin"]}');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invalid(variable: string, what: string, example: string): DefinitionError {
  return new DefinitionError([
    { code: 'SIGIL_INVALID_OPTIONS', where: variable, what, fix: `use ${example}` },
  ]);
}
