import type { Manifest } from '@sigil/core/manifest';
import { FOR_VIEWS, isForModels } from '../check/visibility.js';
import { EXIT_CODES, type ExitCode } from '../failures.js';
import { objectOf } from '../json.js';
import { manifestOfProgram } from '../program/manifest.js';
import { argumentRows } from '../schema/schema-text.js';
import { counted, inOneLine, show, styled, table, type Terminal } from '../terminal.js';
import {
  ADDRESS_OPTIONS,
  addressOf,
  type Command,
  MAIN_OPERAND,
  MAIN_OPTION,
  readArguments,
  SERVER_OPTIONS,
  splitArguments,
} from './command.js';

const OPTIONS = { ...MAIN_OPTION, ...ADDRESS_OPTIONS, ...SERVER_OPTIONS } as const;

/** `sigil list`: lists the definitions of a server. */
export const list: Command = {
  synopsis: 'list [<main.js>|--url <url>|-- <command>]',
  purpose: 'list the tools, resources and prompts of a server, with their arguments',
  example: 'list dist/main.js',
  options: OPTIONS,
  async run(args, terminal) {
    const { own, server } = splitArguments(args);
    const { values, operands } = readArguments(own, OPTIONS, [], [MAIN_OPERAND]);
    const [address, options] = addressOf(operands[0], server, values, terminal);
    let code: ExitCode = EXIT_CODES.ok;
    const onRefused = (method: string, why: string): void => {
      code = EXIT_CODES.found;
      terminal.err(`sigil: the server refuses ${method}: ${inOneLine(why)}`);
    };
    const found = await manifestOfProgram(address, { ...options, onRefused });
    const { tools, resources, resourceTemplates, prompts } = found;
    show(terminal, values, { tools, resources, resourceTemplates, prompts }, () => describe(found, terminal));
    return code;
  },
};

/** An entry of a list, with the lines that are shown below its name. */
interface Shown {
  readonly name: string;
  readonly about: readonly (string | undefined)[];
  readonly rows: readonly (readonly string[])[];
}

function describe(
  { server, tools, resources, resourceTemplates, prompts }: Manifest,
  terminal: Terminal,
): string[] {
  const sections: [string, Shown[]][] = [
    [
      'tool',
      tools.map((tool) => ({
        name: tool.name,
        about: [
          tool.description,
          tool.task && `task ${tool.task}`,
          tool.guarded ? 'guarded' : undefined,
          isForModels(tool) ? undefined : FOR_VIEWS,
        ],
        rows: argumentRows(objectOf(tool.inputSchema)),
      })),
    ],
    ['resource', resources.map((resource) => ({ name: resource.uri, about: aboutOf(resource), rows: [] }))],
    [
      'template',
      resourceTemplates.map((template) => ({
        name: template.uriTemplate,
        about: aboutOf(template),
        rows: [],
      })),
    ],
    [
      'prompt',
      prompts.map(({ name, description, arguments: taken = [] }) => ({
        name,
        about: [description],
        rows: taken.map((one) => [one.name, one.required ? 'required' : '', one.description ?? '']),
      })),
    ],
  ];
  const title = inOneLine(`${server.name} ${server.version}`);
  const lines = sections.flatMap(([noun, entries]) =>
    entries.length === 0
      ? []
      : ['', counted(entries.length, noun), ...entries.flatMap((entry) => linesOf(entry, terminal))],
  );
  return [
    title,
    ...(lines.length > 0 ? lines : ['', 'The server has no definitions that this client may see']),
  ];
}

/** Returns the description of a resource or template, otherwise its title or name, and its media type. */
function aboutOf({
  name,
  title,
  description,
  mimeType,
}: Manifest['resources' | 'resourceTemplates'][number]): Shown['about'] {
  return [description ?? title ?? name, mimeType];
}

function linesOf({ name, about, rows }: Shown, terminal: Terminal): string[] {
  const described = about.filter((part) => part !== undefined && part !== '').join('; ');
  return [
    `  ${styled(terminal, 'green', inOneLine(name))}${described === '' ? '' : `  ${inOneLine(described)}`}`,
    ...table(rows.map((row) => row.map(inOneLine))).map((line) => `      ${line}`),
  ];
}
