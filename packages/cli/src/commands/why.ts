import type { Principal } from '@sigil/core';
import type { Explanation } from '@sigil/core/manifest';
import { FOR_VIEWS, isForModels } from '../check/visibility.js';
import { EXIT_CODES, UsageError } from '../failures.js';
import { isObject, type JsonObject, parseJson } from '../json.js';
import { explanationOfProgram } from '../program/explanation.js';
import { show } from '../terminal.js';
import {
  addressOf,
  type Command,
  MAIN_OPTION,
  readArguments,
  SERVER_OPTIONS,
  splitArguments,
} from './command.js';

const OPTIONS = {
  ...MAIN_OPTION,
  as: {
    type: 'string',
    value: 'principal',
    about: 'the id of the principal; an anonymous client by default',
  },
  scope: { type: 'string', value: 'scope', multiple: true, about: 'a scope of the principal' },
  claims: { type: 'string', value: 'json', about: 'the claims of the principal' },
  ...SERVER_OPTIONS,
} as const;

/** The options that describe the principal. */
interface Who {
  readonly as?: string | undefined;
  readonly scope?: readonly string[] | undefined;
  readonly claims?: string | undefined;
}

/** `sigil why`: explains why a client does not see a definition. */
export const why: Command = {
  synopsis:
    'why <tool> [--main <main.js>|-- <command>] [--as <principal> [--scope <scope>]… [--claims <json>]]',
  purpose: 'explain why a client does not see a tool, prompt or resource',
  example: 'why reset_counts --main dist/main.js --as bob --scope admin',
  options: OPTIONS,
  async run(args, terminal) {
    const { own, server } = splitArguments(args);
    const { values, operands } = readArguments(own, OPTIONS, ['<tool>']);
    const principal = principalOf(values);
    const [address, options] = addressOf(undefined, server, values, terminal);
    const explanation = await explanationOfProgram(address, operands[0] ?? '', principal, options);
    const isSeen = explanation.kind !== undefined && explanation.refusedBy === undefined;
    const hiddenFromModels = explanation.kind === 'tool' && !isForModels(explanation);
    show(terminal, values, { ...explanation, hiddenFromModels }, () => [
      ...describe(explanation, values.as),
      ...(hiddenFromModels ? [`It is ${FOR_VIEWS}`] : []),
    ]);
    return isSeen && !explanation.hiddenFromSessions ? EXIT_CODES.ok : EXIT_CODES.found;
  },
};

function principalOf({ as: id, scope: scopes, claims }: Who): Principal | undefined {
  if (id !== undefined)
    return {
      id,
      ...(scopes ? { scopes } : {}),
      ...(claims === undefined ? {} : { claims: readClaims(claims) }),
    };
  const orphan = scopes ? '--scope belongs' : claims !== undefined ? '--claims belong' : undefined;
  if (orphan) throw new UsageError(`${orphan} to a principal: also use --as <principal>`);
  return undefined;
}

function readClaims(text: string): JsonObject {
  const claims = parseJson(text);
  if (isObject(claims)) return claims;
  throw new UsageError(`--claims must be a JSON object, such as '{"role":"agent"}', not '${text}'`);
}

function describe(explanation: Explanation, id: string | undefined): string[] {
  const { name, kind, where, nearest, hiddenFromSessions, guards, refusedBy } = explanation;
  if (kind === undefined) {
    const near = nearest.length === 0 ? 'nothing has a similar name' : `did you mean ${nearest.join(', ')}?`;
    return [`${name} is not registered: ${near}`];
  }
  const who = id ?? 'a client without a principal';
  const lines = [`${name} is a ${kind}, defined by ${where ?? 'code without a name'}`];
  if (hiddenFromSessions) {
    lines.push(
      `${name} only runs as a task, so clients that use sessions (MCP revision 2025-11-25 or older) never see it`,
    );
  }
  if (guards.length > 0) lines.push(`Guarded by ${guards.join(', ')}`);
  lines.push(
    refusedBy === undefined ? `Nothing hides it from ${who}` : `Hidden from ${who} by the guard ${refusedBy}`,
  );
  return lines;
}
