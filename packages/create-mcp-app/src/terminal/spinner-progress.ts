import { styleText } from 'node:util';
import { outro, S_BAR, S_STEP_ERROR, S_STEP_SUBMIT, unicode } from '@clack/prompts';
import type { Outcome, Progress, RunningStep } from '../host.js';

/** The terminal for a spinner. */
export interface Screen {
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const FRAMES = unicode ? ['◒', '◐', '◓', '◑'] : ['|', '/', '-', '\\'];
const FRAME_MS = 100;
const CLEAR_LINE = '\r\u001b[K';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/** Number of columns for the symbol on the left. */
const MARGIN = 3;

/**
 * Shows steps on a terminal. While a step runs, one line shows a spinner, the elapsed seconds, and the latest
 * output. The terminal is not set to raw mode, so that running programs also receive Ctrl-C. The
 * spinner of `@clack/prompts` is not used, because at Ctrl-C it would end the process immediately.
 */
export function spinnerProgress(screen: Screen): Progress {
  const bar = styleText('gray', S_BAR);
  const tell = (outcome: Outcome, text: string): void => {
    const [first = '', ...more] = text.split('\n').map((line) => fitted(line, screen));
    // A spinner may use this line; it continues below.
    screen.write(`${CLEAR_LINE}${bar}\n`);
    screen.write(`${symbolOf(outcome)}  ${first}\n`);
    for (const line of more) screen.write(`${bar}  ${line}\n`);
  };
  return {
    begin: (title) => spin(title, screen, tell),
    tell,
    close: (lines, last) => {
      screen.write(`${bar}\n`);
      // Commands are copied: they may wrap, but not be cut.
      for (const line of lines) screen.write(`${bar}  ${line}\n`);
      outro(last);
    },
  };
}

function spin(title: string, screen: Screen, tell: Progress['tell']): RunningStep {
  const began = performance.now();
  const shown = { frame: 0, said: '' };
  const draw = (): void => {
    const seconds = Math.floor((performance.now() - began) / 1000);
    const line = fitted(`${title}${seconds > 0 ? ` ${seconds} s` : ''}`, screen);
    const said = shown.said === '' ? '' : fitted(`${line}  ${shown.said}`, screen).slice(line.length);
    const frame = FRAMES[shown.frame++ % FRAMES.length] ?? '';
    screen.write(`${CLEAR_LINE}${styleText('magenta', frame)}  ${line}${styleText('gray', said)}`);
  };
  screen.write(HIDE_CURSOR);
  draw();
  const timer = setInterval(draw, FRAME_MS);
  return {
    say: (line) => void (shown.said = line),
    end: (outcome, text) => {
      clearInterval(timer);
      screen.write(SHOW_CURSOR);
      tell(outcome, text);
    },
  };
}

/** Cuts a line to the width of the terminal. */
function fitted(line: string, { columns = 80 }: Screen): string {
  const room = Math.max(10, columns - MARGIN - 1);
  return line.length <= room ? line : `${line.slice(0, room - 1)}…`;
}

function symbolOf(outcome: Outcome): string {
  if (outcome === 'failed') return styleText('red', S_STEP_ERROR);
  return styleText(outcome === 'done' ? 'green' : 'gray', S_STEP_SUBMIT);
}
