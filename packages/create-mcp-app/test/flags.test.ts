import { describe, expect, test } from '@jest/globals';
import { CREATE_FLAGS, nearest, readChoice, readFlags, usage } from '../src/flags.js';

const read = (...args: string[]) => readFlags(args, CREATE_FLAGS);

describe('flags', () => {
  test('are read with their values, wherever the folder stands among them', () => {
    const said = read('--template', 'http', 'my-app', '--pm=pnpm', '-y');
    expect(said.operands).toEqual(['my-app']);
    expect([said.value('template'), said.value('pm')]).toEqual(['http', 'pnpm']);
    expect([said.has('yes'), said.has('force')]).toEqual([true, false]);
  });

  test.each([
    [['--tempalte', 'http'], 'there is no flag --tempalte: did you mean --template?'],
    [['--no-instal'], 'there is no flag --no-instal: did you mean --no-install?'],
    [['--something-else'], 'there is no flag --something-else'],
    [['-x'], 'there is no flag -x'],
    [['--template'], `option '--template <value>' argument missing`],
    [['--yes=1'], `option '-y, --yes' does not take an argument`],
  ])('that make no sense are refused with one line: %j', (args, complaint) => {
    expect(() => read(...args)).toThrow(complaint);
    expect(() => read(...args)).not.toThrow(/\n/);
  });

  test('are all told by --help', () => {
    const lines = usage();
    for (const { name, value } of CREATE_FLAGS) {
      const spelling = `--${name}${value === undefined ? '' : ` ${value}`}`;
      expect(lines.filter((line) => line.trim().replace(/^-\w, /, '') === spelling)).toHaveLength(1);
    }
  });

  test('are told in lines that fit a terminal', () => {
    expect(usage().filter((line) => line.length > 110)).toEqual([]);
  });
});

describe('a value that must be one of a few', () => {
  test('is taken when it is one of them', () => {
    expect(readChoice('template', 'http', ['minimal', 'http'])).toBe('http');
  });

  test('is compared with those there are', () => {
    expect(() => readChoice('template', 'minmal', ['minimal', 'http'])).toThrow(
      `there is no template 'minmal': did you mean minimal?`,
    );
    expect(() => readChoice('template', 'react', ['minimal', 'http'])).toThrow(
      `there is no template 'react': there are minimal, http`,
    );
  });
});

test('a word is near another when a third of its letters are wrong at most', () => {
  expect(nearest('npn', ['npm', 'yarn'])).toBe('npm');
  expect(nearest('htxx', ['http', 'full'])).toBeUndefined();
  expect(nearest('templat', ['template'])).toBe('template');
});
