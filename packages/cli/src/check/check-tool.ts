import type { ContractTool } from '@sigil/core';
import { SchemaDocument } from '../schema/schema-document.js';
import { isObject } from '../json.js';
import type { CheckCode, Finding } from './codes.js';
import { checkName } from './names.js';
import { missingHints, type Profile, PROFILES, type ProfileName } from './profiles.js';
import { tokensOf } from './tokens.js';

/** What is asked of tools. */
export interface ToolRules {
  /** Most tokens a tool may cost. */
  readonly budget: number;
  /** The directory that is to list them, if any. */
  readonly profile?: ProfileName;
}

/** Looks at one tool. */
export function checkTool(tool: ContractTool, { budget, profile }: ToolRules): Finding[] {
  const where = `tool ${tool.name}`;
  const { description, annotations = {}, inputSchema } = tool;
  const findings: Finding[] = checkName(where, tool.name);
  const find = (code: CheckCode, what: string): unknown => findings.push({ code, where, what });
  if (!description) find('CHECK_NO_DESCRIPTION', 'it has no description');
  for (const argument of undescribed(inputSchema)) {
    find('CHECK_NO_ARGUMENT_DESCRIPTION', `the argument '${argument}' has no description`);
  }
  const tokens = tokensOf(tool);
  if (tokens > budget) find('CHECK_OVER_BUDGET', `it costs about ${tokens} tokens; the budget is ${budget}`);
  if (annotations.readOnlyHint === true && annotations.destructiveHint === true) {
    find('CHECK_CONTRADICTING_HINTS', 'readOnlyHint and destructiveHint are both true');
  }
  return profile ? [...findings, ...checkProfile(tool, where, profile)] : findings;
}

function checkProfile(tool: ContractTool, where: string, name: ProfileName): Finding[] {
  const profile: Profile = PROFILES[name];
  const { maxNameLength = Infinity, maxDescriptionLength = Infinity } = profile;
  const { title, description = '', annotations } = tool;
  const findings: Finding[] = [];
  const find = (code: CheckCode, what: string): unknown => findings.push({ code, where, what });
  if (tool.name.length > maxNameLength) {
    find('CHECK_LONG_NAME', `its name has ${tool.name.length} characters; ${name} takes ${maxNameLength}`);
  }
  if (description.length > maxDescriptionLength) {
    find(
      'CHECK_LONG_DESCRIPTION',
      `its description has ${description.length} characters; ${name} takes ${maxDescriptionLength}`,
    );
  }
  if (profile.needsTitle && !(title ?? annotations?.title))
    find('CHECK_NO_TITLE', `it has no title; ${name} asks for one`);
  for (const group of missingHints(profile, annotations)) {
    find('CHECK_NO_HINT', `${group.join(' or ')} is not given; ${name} asks for it`);
  }
  return findings;
}

/** The arguments that no description, in place or behind a reference, says anything of. */
function undescribed(inputSchema: ContractTool['inputSchema']): string[] {
  const { properties } = inputSchema;
  if (!isObject(properties)) return [];
  return Object.entries(properties)
    .filter(([, schema]) => !isDescribed(schema, inputSchema))
    .map(([name]) => name);
}

function isDescribed(schema: unknown, root: ContractTool['inputSchema']): boolean {
  const resolved = new SchemaDocument(root).resolve(schema);
  return typeof resolved['description'] === 'string' && resolved['description'] !== '';
}
