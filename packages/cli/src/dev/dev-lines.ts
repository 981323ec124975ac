import { stripVTControlCharacters } from 'node:util';
import type { Manifest } from '@sigil/core/manifest';
import { objectOf } from '../json.js';
import { counted, cut, inOneLine, type Style, styled, table, type Terminal } from '../terminal.js';
import {
  CALL_HEAD,
  callCells,
  callStyle,
  QUESTION_HEAD,
  questionCells,
  TASK_HEAD,
  taskCells,
  taskStyle,
} from '../top/lines.js';
import type { Served } from './dev-loop.js';
import type { DevState, OutputLine } from './dev-state.js';

/** The content of the `sigil dev` screen. */
export interface DevView {
  readonly state: DevState;
  /** The definitions of the program; `undefined` until the program has reported them. */
  readonly served: Served | undefined;
  /** The reason why the program does not report its definitions, as lines. */
  readonly failure: readonly string[];
  /** The lines of a panel that is shown instead of the events. */
  readonly panel: readonly string[] | undefined;
  /** A line that names the keys that currently work. */
  readonly keys: string;
}

/** The size of a screen, and how it shows styles. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
  readonly terminal: Terminal;
}

interface Line {
  readonly text: string;
  readonly style?: Style | undefined;
}

interface Section {
  readonly title: string;
  readonly style: Style;
  readonly lines: readonly Line[];
  /** Whether the section shows its last lines if not all of its lines fit on the screen. */
  readonly isLog?: boolean;
}

/** The number of lines that every screen has: two for the head, one for the keys, and an empty line before the keys. */
export const OTHER_LINES = 4;
/** The number of lines of a section besides its content: an empty line and its title. */
const LINES_OF_SECTION = 2;

/** Returns the lines of the `sigil dev` screen, cut to its width. */
export function devLines(view: DevView, { columns, rows, terminal }: ScreenSize): string[] {
  const room = Math.max(0, rows - OTHER_LINES);
  const body: Line[] = view.panel
    ? view.panel.flatMap((text) => folded(text, columns)).map((text) => ({ text }))
    : sectionsIn(sections(view, columns), room);
  const lines = [...head(view), ...body].slice(0, Math.max(0, rows - 1));
  const keys: Line = { text: view.keys, style: 'dim' };
  const empty = Array.from({ length: Math.max(0, rows - 1 - lines.length) }, (): Line => ({ text: '' }));
  return [...lines, ...empty, keys].map(({ text, style }) => {
    const shown = cut(text, columns);
    return style ? styled(terminal, style, shown) : shown;
  });
}

function head({ state, served }: DevView): Line[] {
  const { server, compiler, events, starts } = state;
  const { name = 'sigil dev', version = '' } = served?.manifest.server ?? {};
  const { status, url = '', reason } = server;
  const style = { starting: 'yellow', up: 'green', failed: 'red', stopped: 'dim' } as const;
  const parts = [
    reason === undefined ? status : `${status}: ${reason}`,
    compiled(compiler),
    counted(starts, 'start'),
    served ? tokens(served) : '',
    events.reason !== undefined && status === 'up' ? `no live calls: ${events.reason}` : '',
  ];
  return [
    { text: [inOneLine(`${name} ${version}`).trim(), url].filter(Boolean).join('  ') },
    { text: parts.filter(Boolean).join(' · '), style: style[status] },
  ];
}

function compiled({ isCompiling, problems, isUnderstood }: DevState['compiler']): string {
  if (isCompiling) return 'compiling';
  if (problems.length > 0) return counted(problems.length, 'error');
  return isUnderstood ? 'compiled' : '';
}

function tokens({ manifest, report }: Served): string {
  return `${counted(manifest.tools.length, 'tool')} of about ${counted(report.totalTokens, 'token')}`;
}

/** Returns the sections in order, without empty ones. */
function sections({ state, served, failure }: DevView, columns: number): readonly Section[] {
  const { activity, compiler, server } = state;
  const red = (text: string): Line => ({ text, style: 'red' });
  const rows = (
    head: readonly string[],
    cells: readonly string[][],
    styles: readonly (Style | undefined)[] = [],
  ): Section => {
    const [title = '', ...texts] = table([[...head], ...cells]);
    return { title, style: 'dim', lines: texts.map((text, at) => ({ text, style: styles[at] })) };
  };
  const tasks = [...activity.tasks.values()].reverse();
  const rowsOf = (text: string): string[] => folded(printable(text), columns);
  const problems = compiler.problems.flatMap((problem) => problem.split('\n')).flatMap(rowsOf);
  const failed = server.status === 'failed' ? failure.flatMap(rowsOf) : [];
  const all: Section[] = [
    { title: 'THE COMPILER FINDS', style: 'red', lines: problems.map(red) },
    { title: 'THE SERVER FAILS', style: 'red', lines: failed.map(red) },
    rows(['SERVED', 'NAME', 'ARGUMENTS', 'SCOPES', 'TOKENS'], served ? servedCells(served) : []),
    rows(QUESTION_HEAD, [...activity.questions.values()].map(questionCells), []),
    rows(TASK_HEAD, tasks.map(taskCells), tasks.map(taskStyle)),
    rows(CALL_HEAD, activity.calls.map(callCells), activity.calls.map(callStyle)),
    { title: 'LOG', style: 'dim', isLog: true, lines: logRows(state, columns).map((text) => ({ text })) },
  ];
  return all.filter(({ lines }) => lines.length > 0);
}

function servedCells({ manifest, report }: Served): string[][] {
  const { tools, resources, resourceTemplates, prompts } = manifest;
  const scopesOf = ({ scopes = [] }: { readonly scopes?: readonly string[] }): string => scopes.join(' ');
  const cells = [
    ...tools.map((tool) => [
      'tool',
      tool.name,
      argumentsOf(tool.inputSchema),
      scopesOf(tool),
      `${report.tokens[tool.name] ?? ''}`,
    ]),
    ...resources.map((resource) => ['resource', resource.uri, '', scopesOf(resource)]),
    ...resourceTemplates.map((template) => ['template', template.uriTemplate, '', scopesOf(template)]),
    ...prompts.map((prompt) => ['prompt', prompt.name, promptArguments(prompt), scopesOf(prompt)]),
  ];
  return cells.map((row) => row.map(printable));
}

/** Returns the names of arguments. A `*` follows each required one. */
function argumentsOf(inputSchema: object): string {
  const { properties, required } = objectOf(inputSchema);
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return marked(Object.keys(objectOf(properties)), (name) => needed.includes(name));
}

function promptArguments({ arguments: all = [] }: Manifest['prompts'][number]): string {
  const needed = new Set(all.filter(({ required }) => required).map(({ name }) => name));
  return marked(
    all.map(({ name }) => name),
    (name) => needed.has(name),
  );
}

function marked(names: readonly string[], isRequired: (name: string) => boolean): string {
  return names.map((name) => (isRequired(name) ? `${name}*` : name)).join(' ');
}

/**
 * Returns the lines to show in the log. If the compiler writes in the format of `tsc`, its standard output is left out,
 * because its errors are shown separately.
 */
export function logOf({ lines, compiler }: DevState): string[] {
  const isShown = ({ source, isError }: OutputLine): boolean =>
    source !== 'compiler' || isError || !compiler.isUnderstood;
  return lines
    .filter(isShown)
    .map(({ source, text }) => printable(source === 'sigil' ? `sigil: ${text}` : text));
}

/** Returns the log as rows of a screen. Long lines are wrapped. */
function logRows(state: DevState, columns: number): string[] {
  return logOf(state).flatMap((line) => folded(line, columns));
}

/** Returns the log as rows for the log panel, followed by the errors of the last compilation. */
export function panelRows(state: DevState, columns: number): string[] {
  const problems = state.compiler.problems.flatMap((problem) => problem.split('\n'));
  return [...logRows(state, columns), ...problems.flatMap((line) => folded(printable(line), columns))];
}

function printable(text: string): string {
  return inOneLine(stripVTControlCharacters(text));
}

/**
 * Returns the lines of sections that fit into a number of rows. The rows are distributed evenly, so that long
 * sections leave room for others.
 */
function sectionsIn(all: readonly Section[], rows: number): Line[] {
  const shown = all.slice(0, Math.floor(rows / (LINES_OF_SECTION + 1)));
  const heights = shown.map(() => 1);
  const hasMore = (at: number): boolean => (heights[at] ?? 0) < (shown[at]?.lines.length ?? 0);
  let left = rows - shown.length * (LINES_OF_SECTION + 1);
  while (left > 0 && shown.some((_, at) => hasMore(at)))
    for (const at of shown.keys())
      if (left > 0 && hasMore(at)) {
        heights[at] = (heights[at] ?? 0) + 1;
        left -= 1;
      }
  return shown.flatMap((section, at) => [
    { text: '' },
    { text: section.title, style: section.style },
    ...linesIn(section, heights[at] ?? 0),
  ]);
}

function linesIn({ lines, isLog }: Section, height: number): readonly Line[] {
  if (lines.length <= height) return lines;
  if (isLog) return lines.slice(-height);
  if (height === 1) return lines.slice(0, 1);
  return [...lines.slice(0, height - 1), { text: `and ${lines.length - height + 1} more`, style: 'dim' }];
}

/** Breaks a text into lines of a maximum width. */
function folded(text: string, columns: number): string[] {
  const rows: string[] = [];
  let rest = text;
  do {
    const row = cut(rest, columns);
    rows.push(row);
    rest = row === '' ? '' : rest.slice(row.length);
  } while (rest !== '');
  return rows;
}
