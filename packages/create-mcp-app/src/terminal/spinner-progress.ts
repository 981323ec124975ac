import { log, outro, S_BAR, S_STEP_ERROR, S_STEP_SUBMIT } from '@clack/prompts';
import { styleText } from 'node:util';
import type { Outcome, Progress, RunningStep } from './progress.js';

/** What a spinner writes to. */
export interface Screen {
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const FRAMES = ['◒', '◐', '◓', '◑'] as const;
const FRAME_MS = 100;
const CLEAR_LINE = '\r\u001b[K';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

/**
 * Steps on a terminal: one line that turns while a step runs, with its seconds and what it said last. The terminal stays as
 * it is, so that Ctrl-C reaches the programs that run as well: the library's own spinner ends the process on it at once.
 */
export function spinnerProgress(screen: Screen): Progress {
  const tell = (outcome: Outcome, text: string): void => {
    // A spinner may be turning on this line; it goes on below.
    screen.write(`${CLEAR_LINE}${styleText('gray', S_BAR)}\n`);
    const [first = '', ...more] = text.split('\n');
    screen.write(`${symbolOf(outcome)}  ${first}\n`);
    for (const line of more) screen.write(`${styleText('gray', S_BAR)}  ${line}\n`);
  };
  return {
    begin: (title) => spin(title, screen, tell),
    tell,
    close: (lines) => {
      log.message([...lines]);
      outro('');
    },
  };
}

function spin(title: string, screen: Screen, tell: Progress['tell']): RunningStep {
  const began = performance.now();
  const shown = { frame: 0, said: '' };
  const draw = (): void => {
    const seconds = Math.floor((performance.now() - began) / 1000);
    const said = shown.said === '' ? '' : `  ${shown.said}`;
    const room = Math.max(10, (screen.columns ?? 80) - 4);
    const line = `${title}${seconds > 0 ? ` ${seconds} s` : ''}`;
    const frame = FRAMES[shown.frame++ % FRAMES.length] ?? FRAMES[0];
    const rest = said.slice(0, Math.max(0, room - line.length));
    screen.write(
      `${CLEAR_LINE}${styleText('magenta', frame)}  ${line.slice(0, room)}${styleText('gray', rest)}`,
    );
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

function symbolOf(outcome: Outcome): string {
  if (outcome === 'failed') return styleText('red', S_STEP_ERROR);
  return styleText(outcome === 'done' ? 'green' : 'gray', S_STEP_SUBMIT);
}
