import type { ContractTool } from '@sigil/core';
import type { Change } from './change.js';
import { INPUT_LEVELS, OUTPUT_LEVELS } from './classify.js';
import { diffGuarded, diffOthers, diffSchemas, diffWording, type Place } from './diff-members.js';
import { shown } from '../schema/difference.js';

/** What clients that run tools without asking go by: the value of each hint on which they may, and what holds without it. */
const HINTS = {
  readOnlyHint: { safe: true, absent: false },
  destructiveHint: { safe: false, absent: true },
  idempotentHint: { safe: true, absent: false },
  openWorldHint: { safe: false, absent: true },
} as const;

const WORDS = ['title', 'description', 'icons', '_meta'];
const KNOWN = [
  ...WORDS,
  'name',
  'annotations',
  'inputSchema',
  'outputSchema',
  'task',
  'hiddenFromSessions',
  'guarded',
];

/** Compares a tool with itself in another contract. */
export function diffTools(before: ContractTool, after: ContractTool, place: Place): Change[] {
  return [
    ...diffWording(before, after, WORDS, place),
    ...diffHints(before, after, place),
    ...diffSchemas('input', before.inputSchema, after.inputSchema, INPUT_LEVELS, place),
    ...diffOutput(before, after, place),
    ...diffTask(before, after, place),
    ...diffGuarded(before, after, place),
    ...diffOthers(before, after, KNOWN, place),
  ];
}

function diffHints(
  { annotations: before = {} }: ContractTool,
  { annotations: after = {} }: ContractTool,
  place: Place,
): Change[] {
  const titles = diffWording(before, after, ['title'], (level, path, what) =>
    place(level, `annotations.${path}`, what),
  );
  const hints = Object.entries(HINTS).flatMap(([name, { safe, absent }]) => {
    const [was, is] = [before[name as keyof typeof HINTS], after[name as keyof typeof HINTS]];
    if (was === is) return [];
    const [wasSafe, isSafe] = [(was ?? absent) === safe, (is ?? absent) === safe];
    const level = wasSafe === isSafe ? 'wording' : isSafe ? 'additive' : 'breaking';
    return [place(level, `annotations.${name}`, `${shown(was)} → ${shown(is)}`)];
  });
  return [...titles, ...hints];
}

function diffOutput(
  { outputSchema: before }: ContractTool,
  { outputSchema: after }: ContractTool,
  place: Place,
): Change[] {
  if (before && after) return diffSchemas('output', before, after, OUTPUT_LEVELS, place);
  if (after) return [place('additive', 'output', 'schema added')];
  return before ? [place('breaking', 'output', 'schema removed')] : [];
}

/** Only a tool that must run as a task, or is hidden for another reason, is lost to somebody. */
function diffTask(before: ContractTool, after: ContractTool, place: Place): Change[] {
  const [was, is] = [before.task, after.task];
  if (was !== is)
    return [place(is === 'required' ? 'breaking' : 'additive', 'task', `${shown(was)} → ${shown(is)}`)];
  const [wasHidden, isHidden] = [before.hiddenFromSessions === true, after.hiddenFromSessions === true];
  if (wasHidden === isHidden) return [];
  return [place(isHidden ? 'breaking' : 'additive', 'hiddenFromSessions', `${wasHidden} → ${isHidden}`)];
}
