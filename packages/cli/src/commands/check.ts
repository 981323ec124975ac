import { checkManifest, type CheckReport } from '../check/check-manifest.js';
import { DEFAULT_BUDGET, PROFILES } from '../check/check-tool.js';
import type { Finding } from '../check/findings.js';
import { HOST_RULES } from '../check/host-rules.js';
import { EXIT_CODES } from '../failures.js';
import { manifestFrom } from '../program/manifest.js';
import { styled, table, type Terminal, show } from '../terminal.js';
import {
  ADDRESS_OPTIONS,
  addressOf,
  type Command,
  MAIN_OPERAND,
  MAIN_OPTION,
  readArguments,
  readChoice,
  readNumber,
  SERVER_OPTIONS,
  splitArguments,
} from './command.js';

const OPTIONS = {
  budget: {
    type: 'string',
    value: 'tokens',
    default: String(DEFAULT_BUDGET),
    about: 'maximum number of tokens of a tool',
  },
  profile: {
    type: 'string',
    value: 'directory',
    about: `also check the rules of a directory of MCP servers: ${choice(PROFILES)}`,
  },
  for: {
    type: 'string',
    value: 'host',
    multiple: true,
    about: `also check what a model host supports: ${choice(HOST_RULES)}`,
  },
  strict: { type: 'boolean', about: 'also check the strict mode of the hosts in --for' },
  ...MAIN_OPTION,
  ...ADDRESS_OPTIONS,
  ...SERVER_OPTIONS,
} as const;

/** `sigil check`: finds problems in a server. */
export const check: Command = {
  synopsis: `check [<main.js>|<manifest.json>|--url <url>|-- <command>] [--budget <tokens>] [--profile ${choice(PROFILES)}] [--for ${choice(HOST_RULES)}]… [--strict]`,
  purpose: 'find definitions that break rules of MCP, model hosts or directories of servers',
  example: 'check dist/main.js --for openai,anthropic',
  options: OPTIONS,
  async run(args, terminal) {
    const { own, server } = splitArguments(args);
    const { values, operands } = readArguments(own, OPTIONS, [], [MAIN_OPERAND]);
    const budget = readNumber('--budget', values.budget);
    const profile =
      values.profile === undefined ? undefined : readChoice('--profile', values.profile, PROFILES);
    const refused: Finding[] = [];
    const [address, options] = addressOf(operands[0], server, values, terminal);
    const hosts = (values.for ?? [])
      .flatMap((names) => names.split(','))
      .map((name) => readChoice('--for', name, HOST_RULES));
    const strict = values.strict === true;
    const manifest = await manifestFrom(address, {
      ...options,
      onRefused: (where, what) => refused.push({ code: 'CHECK_LIST_REFUSED', where, what }),
    });
    const checked = checkManifest(manifest, { budget, hosts, strict, ...(profile ? { profile } : {}) });
    const report = { ...checked, findings: [...refused, ...checked.findings] };
    show(terminal, values, report, () => describe(report, terminal));
    return report.findings.length > 0 ? EXIT_CODES.found : EXIT_CODES.ok;
  },
};

function choice(table: object): string {
  return Object.keys(table).join('|');
}

function describe({ findings, tokens, totalTokens }: CheckReport, terminal: Terminal): string[] {
  const found = table(findings.map(({ code, where, what }) => [code, where, what]));
  const costs = Object.entries(tokens).sort(([, a], [, b]) => b - a);
  const counts = [...costs, ['all tools', totalTokens] as const];
  const sources = [...new Set(findings.flatMap(({ source }) => source ?? []))];
  return [
    ...found.map((line) => styled(terminal, 'yellow', line)),
    ...(found.length > 0 ? [''] : []),
    ...(sources.length > 0
      ? ['Sources for the limits of the hosts', ...sources.map((source) => `  ${source}`), '']
      : []),
    'Estimated tokens: one for every four characters of name, description and input schema',
    ...table(counts.map(([name, count]) => [`  ${name}`, String(count)])),
    '',
    findings.length === 0 ? 'Nothing found' : `${findings.length} found`,
  ];
}
