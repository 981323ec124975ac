import type { Problem } from '../errors/definition-error.js';

/** An option of `createApp` that is out of range. */
export function invalidOption(option: string, expected: string): Problem {
  return {
    code: 'SIGIL_INVALID_OPTIONS',
    where: `createApp({ ${option} })`,
    what: `it must be ${expected}`,
    fix: 'give a value in range, or leave the option out where it has a default',
  };
}
