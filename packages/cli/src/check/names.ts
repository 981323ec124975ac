import type { Finding } from './codes.js';

/** Specification 2026-07-28, server/tools, "Tool Names". */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Finds a name that breaks the rules. */
export function checkName(where: string, name: string): Finding[] {
  if (NAME.test(name)) return [];
  return [
    {
      code: 'CHECK_INVALID_NAME',
      where,
      what: 'its name is not 1 to 128 letters, digits, underscores, dots and hyphens',
    },
  ];
}
