import type { ManifestTool } from '@sigil/core/manifest';
import type { ToolDescriptor } from '@sigil/core/protocol';
import { objectOf } from '../json.js';
import { SchemaDocument } from '../schema/schema-document.js';
import { checkHost } from './check-host.js';
import type { CheckCode, Finding } from './findings.js';
import type { HostName } from './host-rules.js';
import { isForModels } from './visibility.js';

/** The rules that tools are checked against. */
export interface ToolRules {
  /**
   * Maximum estimated number of tokens that one tool takes in a model's context. A tool that takes more is reported.
   */
  readonly budget: number;
  /** The directory of MCP servers that will list the tools. @default none */
  readonly profile?: ProfileName;
  /** The model hosts that will use the tools. @default none */
  readonly hosts?: readonly HostName[];
  /** Whether the model hosts use their strict mode. @default false */
  readonly strict?: boolean;
}

/** The maximum number of tokens for one tool, unless `sigil check --budget` sets another number. */
export const DEFAULT_BUDGET = 1_000;

/** Returns all violations of the rules by one tool. The rules of the MCP specification are always checked. */
export function checkTool(
  tool: ManifestTool,
  { budget, profile, hosts = [], strict = false }: ToolRules,
): Finding[] {
  const where = `tool ${tool.name}`;
  const { description, annotations = {}, inputSchema } = tool;
  const findings: Finding[] = checkName(where, tool.name);
  const find = (code: CheckCode, what: string): unknown => findings.push({ code, where, what });
  if (!description) find('CHECK_NO_DESCRIPTION', 'it has no description');
  for (const argument of undescribed(inputSchema)) {
    find('CHECK_NO_ARGUMENT_DESCRIPTION', `the argument '${argument}' has no description`);
  }
  const tokens = tokensOf(tool);
  if (tokens > budget) find('CHECK_OVER_BUDGET', `it takes about ${tokens} tokens; the budget is ${budget}`);
  if (annotations.readOnlyHint === true && annotations.destructiveHint === true) {
    find('CHECK_CONTRADICTING_HINTS', 'readOnlyHint and destructiveHint are both true');
  }
  if (profile) findings.push(...checkProfile(tool, where, profile));
  if (isForModels(tool)) findings.push(...hosts.flatMap((host) => checkHost(tool, host, strict)));
  return findings;
}

function checkProfile(tool: ManifestTool, where: string, name: ProfileName): Finding[] {
  const profile: Profile = PROFILES[name];
  const { maxNameLength = Infinity, maxDescriptionLength = Infinity } = profile;
  const { title, description = '', annotations } = tool;
  const findings: Finding[] = [];
  const find = (code: CheckCode, what: string): unknown => findings.push({ code, where, what });
  if (tool.name.length > maxNameLength) {
    find('CHECK_LONG_NAME', `its name has ${tool.name.length} characters; ${name} allows ${maxNameLength}`);
  }
  if (description.length > maxDescriptionLength) {
    find(
      'CHECK_LONG_DESCRIPTION',
      `its description has ${description.length} characters; ${name} allows ${maxDescriptionLength}`,
    );
  }
  if (profile.needsTitle && !(title ?? annotations?.title))
    find('CHECK_NO_TITLE', `it has no title; ${name} requires one`);
  for (const group of profile.hints) {
    if (group.some((hint) => annotations?.[hint] !== undefined)) continue;
    find('CHECK_NO_HINT', `${group.join(' or ')} is not set; ${name} requires it`);
  }
  return findings;
}

/** Returns the arguments that have no description, even if references are followed. */
function undescribed(inputSchema: ManifestTool['inputSchema']): string[] {
  const document = new SchemaDocument(inputSchema);
  return Object.entries(objectOf(inputSchema['properties']))
    .filter(([, schema]) => !document.resolve(schema)['description'])
    .map(([name]) => name);
}

/** The syntax of names (2026-07-28, server/tools, "Tool Names"). */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Checks a name against the syntax that the MCP specification requires. */
export function checkName(where: string, name: string): Finding[] {
  if (NAME.test(name)) return [];
  return [
    {
      code: 'CHECK_INVALID_NAME',
      where,
      what: 'its name must have 1 to 128 characters: letters, digits, underscores, dots and hyphens',
    },
  ];
}

const CHARACTERS_PER_TOKEN = 4;

/**
 * Estimates how many tokens a tool takes in a model's context: a quarter of the characters in its name, description and
 * input schema as JSON. Clients usually send only these three parts to the model. The exact number depends on the
 * model. The number is 0 for a tool that models do not see, because only views call it (MCP Apps,
 * `_meta.ui.visibility`).
 *
 * @param tool a tool from `tools/list`.
 * @example
 * ```ts
 * const cost = tokensOf({ name: 'add', description: 'Adds', inputSchema: { type: 'object' } });
 * ```
 */
export function tokensOf(tool: ToolDescriptor): number {
  if (!isForModels(tool)) return 0;
  const { name, description, inputSchema } = tool;
  return Math.ceil(JSON.stringify({ name, description, inputSchema }).length / CHARACTERS_PER_TOKEN);
}

type Hint = 'readOnlyHint' | 'destructiveHint' | 'openWorldHint';

/** A directory's requirements for tools, beyond the specification. */
interface Profile {
  readonly needsTitle: boolean;
  /** Groups of hints. A tool must have at least one hint of each group. */
  readonly hints: readonly (readonly Hint[])[];
  /** Maximum number of characters in a name. @default the limit of the specification */
  readonly maxNameLength?: number;
  /** Maximum number of characters in a description. @default unlimited */
  readonly maxDescriptionLength?: number;
}

/** The name of a directory of MCP servers. */
export type ProfileName = 'claude' | 'chatgpt';

/** The review rules of the known directories of MCP servers. */
export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  // https://claude.com/docs/connectors/building/review-criteria
  claude: { needsTitle: true, hints: [['readOnlyHint', 'destructiveHint']], maxNameLength: 64 },
  // The directory refuses tools that lack one of the three hints, and longer descriptions.
  chatgpt: {
    needsTitle: false,
    hints: [['readOnlyHint'], ['destructiveHint'], ['openWorldHint']],
    maxDescriptionLength: 200,
  },
};
