import { DefinitionError } from '../errors/errors.js';
import { isObject } from '../protocol/json.js';
import type { Principal } from '../protocol/principal.js';
import type { Inspectable } from './app-parts.js';
import { explain } from './explain.js';
import { environmentVariable } from './platform.js';
import { manifestOf } from './manifest.js';

/**
 * Answers what `SIGIL_INSPECT` asks as one line of JSON: `manifest` with the manifest, `why` with an explanation of what
 * `SIGIL_INSPECT_NAME` names, for the principal in `SIGIL_INSPECT_PRINCIPAL`.
 *
 * @throws DefinitionError when the question is none.
 */
export async function answerQuestion(app: Inspectable): Promise<string> {
  const question = environmentVariable('SIGIL_INSPECT') ?? '';
  if (question === 'manifest') return JSON.stringify(manifestOf(app));
  if (question !== 'why') throw invalid('SIGIL_INSPECT', `'${question}' is no question`, 'manifest, or why');
  const name = environmentVariable('SIGIL_INSPECT_NAME') ?? '';
  return JSON.stringify(
    await explain(app, name, readPrincipal(environmentVariable('SIGIL_INSPECT_PRINCIPAL'))),
  );
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
