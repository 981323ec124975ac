import { DefinitionError } from '../errors/errors.js';
import { isObject } from '../protocol/json.js';
import type { Principal } from '../protocol/principal.js';
import type { Contract } from './contract.js';
import type { Explanation } from './explain.js';
import { hostVariable } from './host.js';

/** What a program is asked about through its environment. */
interface Inspected {
  contract(): Contract;
  explain(name: string, principal?: Principal): Promise<Explanation>;
}

/** What the environment asks with `SIGIL_INSPECT` instead of having the program serve. `undefined` when it asks nothing. */
export function askedQuestion(): string | undefined {
  return hostVariable('SIGIL_INSPECT') || undefined;
}

/**
 * Answers a question as one line of JSON: `contract` with the contract, `why` with an explanation of what
 * `SIGIL_INSPECT_NAME` names, for the principal in `SIGIL_INSPECT_PRINCIPAL`.
 *
 * @throws DefinitionError when the question is none.
 */
export async function answerQuestion(question: string, app: Inspected): Promise<string> {
  if (question === 'contract') return JSON.stringify(app.contract());
  if (question !== 'why') throw invalid('SIGIL_INSPECT', `'${question}' is no question`, 'contract, or why');
  const name = hostVariable('SIGIL_INSPECT_NAME') ?? '';
  return JSON.stringify(await app.explain(name, readPrincipal(hostVariable('SIGIL_INSPECT_PRINCIPAL'))));
}

function readPrincipal(text: string | undefined): Principal | undefined {
  if (text === undefined || text === '') return undefined;
  const principal = parse(text);
  if (isObject(principal) && typeof principal['id'] === 'string') return principal as unknown as Principal;
  throw invalid('SIGIL_INSPECT_PRINCIPAL', `'${text}' is no principal`, '{"id":"ada","scopes":["admin"]}');
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
    { code: 'SIGIL_INVALID_OPTIONS', where: variable, what, fix: `give ${example}` },
  ]);
}
