import { counted, cut, type Style, styled, table, type Terminal } from '../terminal.js';
import {
  type Activity,
  type AskedQuestion,
  type EndedCall,
  isFailure,
  type Rate,
  type RefusedRequest,
  type ShownEvent,
  type WatchedTask,
} from './activity.js';

/** The content of the screen besides the activity of the server. */
export interface ScreenParts {
  readonly url: string;
  /** The reason why there is no connection; `undefined` while there is a connection. */
  readonly lostBy: string | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly terminal: Terminal;
  /** The current time in milliseconds, from the same clock as the activity. */
  readonly now: number;
}

/** Maximum number of running calls, and of refused requests, on a screen. */
const MOST_OF_SECTION = 5;
/** The number of fixed lines: two for the head, and an empty line and a title for each of four sections. */
const OTHER_LINES = 10;

/** Returns the lines of the screen, cut to its width. */
export function screenLines(activity: Activity, parts: ScreenParts): string[] {
  const { columns, rows, terminal } = parts;
  const { all, each } = activity.rates(parts.now);
  const running = (activity.state?.running ?? []).slice(0, MOST_OF_SECTION);
  const refusals = activity.refusals.slice(0, MOST_OF_SECTION);
  const questions = [...activity.questions.values()].slice(-MOST_OF_SECTION);
  const tasks = [...activity.tasks.values()].slice(-MOST_OF_SECTION).reverse();
  const asked = [questions, tasks].filter(({ length }) => length > 0).map(({ length }) => length + 2);
  const taken = asked.reduce((sum, height) => sum + height, running.length + refusals.length);
  const left = Math.max(2, rows - OTHER_LINES - taken);
  const rates = each.slice(0, Math.ceil(left / 2));
  const calls = activity.calls.slice(0, left - rates.length);
  const line = (text: string, style?: Style): string => {
    const shown = cut(text, columns);
    return style ? styled(terminal, style, shown) : shown;
  };
  const section = (head: readonly string[], cells: string[][], styles: (Style | undefined)[]): string[] => {
    if (cells.length === 0) return [];
    const [title = '', ...lines] = table([[...head], ...cells]);
    return ['', line(title, 'dim'), ...lines.map((text, at) => line(text, styles[at]))];
  };
  const lines = [
    parts.lostBy === undefined ? line(headOf(activity, parts)) : line(`${parts.url}  ${parts.lostBy}`, 'red'),
    line(sumOf(activity, all)),
    ...section(
      ['CALLS/S', 'ERRORS', 'REFUSED', 'P50 MS', 'P95 MS', 'NAME'],
      rates.map(rateCells),
      rates.map(rateStyle),
    ),
    ...section(
      ['RUNNING', 'NAME', 'CALLER'],
      running.map(({ since, about, caller }) => [elapsed(Date.now() - since.getTime()), about, caller]),
      [],
    ),
    ...section(QUESTION_HEAD, questions.map(questionCells), []),
    ...section(TASK_HEAD, tasks.map(taskCells), tasks.map(taskStyle)),
    ...section(
      ['REFUSED', 'STATUS', 'BY', 'ADDRESS', 'WHY'],
      refusals.map(refusalCells),
      refusals.map(() => 'yellow'),
    ),
    ...section(CALL_HEAD, calls.map(callCells), calls.map(callStyle)),
  ];
  return lines.slice(0, rows);
}

/** Returns an event as a line of text, for output without the full-screen display. */
export function eventLine(terminal: Terminal, event: ShownEvent): string {
  const [style, cells] = eventCells(event);
  const text = cells.filter((cell) => cell !== '').join('  ');
  return style ? styled(terminal, style, text) : text;
}

function eventCells(event: ShownEvent): readonly [style: Style | undefined, cells: readonly string[]] {
  switch (event.kind) {
    case 'call': {
      const { time, outcome, reason, ms, about, caller } = event.call;
      return [callStyle(event.call), [clock(time), outcome, reason, about, `${ms} ms`, caller]];
    }
    case 'refused': {
      const [time = '', ...cells] = refusalCells(event.refusal);
      return ['yellow', [time, 'refused', ...cells]];
    }
    case 'question': {
      const { time, about, asks, status, caller } = event.question;
      return [
        status === 'failed' ? 'yellow' : undefined,
        [clock(time), 'question', status, asks, about, caller],
      ];
    }
    case 'task': {
      const { time, id, tool, status, ms } = event.task;
      return [taskStyle(event.task), [clock(time), 'task', status, tool, id, `${ms} ms`]];
    }
  }
}

function headOf({ state }: Activity, { url }: ScreenParts): string {
  if (!state) return url;
  const worker = state.isWorker ? ', one of several workers' : '';
  return `${url}  pid ${state.pid}${worker}, up ${elapsed(Date.now() - state.startedAt.getTime())}`;
}

function sumOf({ state }: Activity, { perSecond, errors, refused }: Rate): string {
  const { sessions = 0, calls = 0, tasks = 0 } = state ?? {};
  const open = `${counted(sessions, 'session')}, ${counted(calls, 'call')} and ${counted(tasks, 'task')} running`;
  return `${perSecond.toFixed(1)} calls/s, ${counted(errors, 'error')}, ${refused} refused in a minute  ${open}`;
}

function rateCells({ about, perSecond, errors, refused, p50, p95 }: Rate): string[] {
  const ms = (value: number | undefined): string => value?.toFixed(1) ?? '';
  return [perSecond.toFixed(1), `${errors}`, `${refused}`, ms(p50), ms(p95), about];
}

function rateStyle({ errors, refused }: Rate): Style | undefined {
  if (errors > 0) return 'red';
  return refused > 0 ? 'yellow' : undefined;
}

/** Returns the cells of a question, in the columns of `QUESTION_HEAD`. */
export function questionCells({ time, asks, about, caller }: AskedQuestion): string[] {
  return [clock(time), asks, about, caller];
}

export const QUESTION_HEAD: readonly string[] = ['ASKED', 'FOR', 'NAME', 'CALLER'];

/** Returns the cells of a task, in the columns of `TASK_HEAD`. */
export function taskCells({ time, status, tool, id, ms }: WatchedTask): string[] {
  return [clock(time), status, `${(ms / 1_000).toFixed(1)}`, tool, id];
}

export const TASK_HEAD: readonly string[] = ['TASKS', 'STATUS', 'SECONDS', 'NAME', 'ID'];

/** Returns the style for a task. */
export function taskStyle({ status }: WatchedTask): Style | undefined {
  if (status === 'failed') return 'red';
  return status === 'input_required' ? 'yellow' : undefined;
}

export const CALL_HEAD: readonly string[] = ['ENDED', 'OUTCOME', 'MS', 'NAME', 'CALLER'];

/** Returns the cells of a call, in the columns of `CALL_HEAD`. */
export function callCells({ time, outcome, reason, ms, about, caller }: EndedCall): string[] {
  return [clock(time), reason === '' ? outcome : `${outcome}: ${reason}`, ms.toFixed(1), about, caller];
}

/** Returns the style for a call. */
export function callStyle({ outcome }: EndedCall): Style | undefined {
  if (isFailure(outcome)) return 'red';
  return outcome === 'refused' ? 'yellow' : undefined;
}

function refusalCells({ time, status, by, address, reason }: RefusedRequest): string[] {
  return [clock(time), `${status}`, by, address, reason];
}

function clock(time: Date): string {
  return time.toTimeString().slice(0, 8);
}

/** Formats a duration as hours, minutes and seconds. */
function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const parts = [seconds / 3_600, (seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(Math.floor(part)).padStart(2, '0')).join(':');
}
