import type { Explanation } from '@sigil/core/manifest';
import type { Principal } from '@sigil/core';
import type { JsonObject } from '../json.js';
import { askApp } from './connection.js';
import type { AskOptions, ServerAddress } from './program.js';

const FORMAT: Explanation['format'] = 'sigil-explanation/1';

/**
 * Explains why a principal does or does not see a definition of a server that is made with Sigil.
 *
 * @param server the path of the program, or its command line.
 * @param name the name of a tool or prompt, the URI of a resource, or a URI template.
 * @param principal the caller; if absent, an anonymous client.
 * @param options how long the program may take.
 * @throws UsageError if there is no such program.
 * @throws ServerError when the program fails, does not answer in time, or is not made with Sigil.
 * @example
 * ```ts
 * const ada = { id: 'ada', scopes: ['agent'] };
 * const { refusedBy } = await explanationOfProgram('dist/main.js', 'close_ticket', ada, { timeoutMs: 10_000 });
 * ```
 */
export function explanationOfProgram(
  server: ServerAddress,
  name: string,
  principal: Principal | undefined,
  options: AskOptions,
): Promise<Explanation> {
  const question = {
    SIGIL_INSPECT: 'why',
    SIGIL_INSPECT_NAME: name,
    SIGIL_INSPECT_PRINCIPAL: principal ? JSON.stringify(principal) : '',
  };
  return askApp(server, question, options, (message) => (isExplanation(message) ? message : undefined));
}

function isExplanation(message: JsonObject): message is JsonObject & Explanation {
  return message['format'] === FORMAT;
}
