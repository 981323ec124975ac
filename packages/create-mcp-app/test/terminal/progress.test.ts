import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { lineProgress, silence } from '../../src/host.js';
import { spinnerProgress } from '../../src/terminal/spinner-progress.js';

describe('progress in lines', () => {
  test('has one for every step that has ended', () => {
    const lines: string[] = [];
    const progress = lineProgress((line) => void lines.push(line));
    const step = progress.begin('Installing');
    step.say('half of it');
    expect(lines).toEqual([]);
    step.end('done', 'Installed');
    progress.tell('skipped', 'No git repository');
    progress.close(['Next:', '  cd app'], 'Done');
    expect(lines).toEqual(['Installed', 'No git repository', 'Next:', '  cd app', 'Done']);
  });
});

describe('progress on a terminal', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** A screen that remembers what is written. */
  function screenOf(columns: number) {
    const written: string[] = [];
    return { columns, written, write: (text: string) => written.push(stripVTControlCharacters(text)) };
  }

  test('turns while a step runs, with its seconds and what it said last', () => {
    const screen = screenOf(80);
    const step = spinnerProgress(screen).begin('Installing');
    expect(screen.written.at(-1)).toMatch(/^\r.  Installing$/);
    step.say('resolved 12');
    jest.advanceTimersByTime(2100);
    expect(screen.written.at(-1)).toMatch(/^\r.  Installing 2 s  resolved 12$/);
    step.end('done', 'Installed');
    const ended = screen.written.length;
    jest.advanceTimersByTime(1000);
    expect(screen.written).toHaveLength(ended);
    expect(screen.written.at(-1)).toMatch(/^.  Installed\n$/);
  });

  test.each([20, 40, 80])('keeps a line within %d columns', (columns) => {
    const screen = screenOf(columns);
    const step = spinnerProgress(screen).begin('Installing with npm');
    step.say('x'.repeat(200));
    jest.advanceTimersByTime(1100);
    step.end('done', `Called it\n${'answer '.repeat(40)}`);
    const widest = Math.max(...screen.written.map((text) => text.replace(/[\r\n]/g, '').length));
    expect(widest).toBeLessThanOrEqual(columns);
  });

  test('shows what is told meanwhile above the line that turns', () => {
    const screen = screenOf(80);
    const progress = spinnerProgress(screen);
    const step = progress.begin('Building');
    progress.tell('done', 'Committed');
    jest.advanceTimersByTime(100);
    expect(screen.written.slice(-2).map((text) => text.slice(1).trim())).toEqual([
      'Committed',
      expect.stringMatching(/Building$/),
    ]);
    step.end('failed', 'Building: failed');
  });
});

test('silence shows nothing', () => {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const step = silence.begin('Installing');
    step.say('x');
    step.end('done', 'Installed');
    silence.tell('done', 'Committed');
    silence.close(['Next:'], 'Done');
    expect(write).not.toHaveBeenCalled();
  } finally {
    write.mockRestore();
  }
});
