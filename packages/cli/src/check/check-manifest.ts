import type { Manifest, ManifestPrompt } from '@sigil/core/manifest';
import { checkName, checkTool, tokensOf, type ToolRules } from './check-tool.js';
import type { Finding } from './findings.js';

/** The findings of a check, and the estimated size of each tool in tokens. */
export interface CheckReport {
  readonly findings: readonly Finding[];
  /** The estimated number of tokens that each tool takes in a model's context. The key is the tool's name. */
  readonly tokens: Readonly<Record<string, number>>;
  readonly totalTokens: number;
}

/**
 * Checks a server against the MCP specification, the limits of model hosts (such as OpenAI), and the rules of
 * directories of MCP servers.
 *
 * @param manifest the server's manifest.
 * @param rules the maximum cost of a tool in tokens, and the directory and hosts that the server is for.
 * @returns the findings, and the cost of each tool in tokens.
 * @example
 * ```ts
 * const { findings, totalTokens } = checkManifest(manifestOf(app), { budget: 1_000 });
 * ```
 */
export function checkManifest(manifest: Manifest, rules: ToolRules): CheckReport {
  const { tools, prompts, resources, resourceTemplates } = manifest;
  const tokens = tools.map((tool) => [tool.name, tokensOf(tool)] as const);
  return {
    findings: [
      ...tools.flatMap((tool) => checkTool(tool, rules)),
      ...prompts.flatMap(checkPrompt),
      ...resources.flatMap(({ uri, description }) => checkDescription(`resource ${uri}`, description)),
      ...resourceTemplates.flatMap(({ uriTemplate, description }) =>
        checkDescription(`template ${uriTemplate}`, description),
      ),
    ],
    tokens: Object.fromEntries(tokens),
    totalTokens: tokens.reduce((sum, [, count]) => sum + count, 0),
  };
}

function checkPrompt({ name, description, arguments: args = [] }: ManifestPrompt): Finding[] {
  const where = `prompt ${name}`;
  const findings = [...checkName(where, name), ...checkDescription(where, description)];
  for (const argument of args) {
    if (argument.description) continue;
    findings.push({
      code: 'CHECK_NO_ARGUMENT_DESCRIPTION',
      where,
      what: `the argument '${argument.name}' has no description`,
    });
  }
  return findings;
}

function checkDescription(where: string, description: string | undefined): Finding[] {
  return description ? [] : [{ code: 'CHECK_NO_DESCRIPTION', where, what: 'it has no description' }];
}
