import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What a run of the command left. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the tests look at and change in a manifest. */
export interface WrittenManifest {
  readonly format: string;
  readonly server: { name: string };
  readonly tools: {
    name: string;
    description?: string;
    guarded?: boolean;
    inputSchema: { properties: Record<string, Record<string, unknown>> };
  }[];
}

/** A server in `tests/e2e/fixtures`. */
export function fixture(name: string): string {
  return `${ROOT}tests/e2e/fixtures/${name}`;
}

/** A server made with an official SDK. */
export function official(sdk: 'sdk-v1' | 'sdk-v2'): string {
  return `${ROOT}apps/bench/dist/peers/${sdk}/stdio.js`;
}

/** The command as it is installed. */
export const SIGIL = `${ROOT}packages/cli/bin/sigil.mjs`;

/** Runs the command as it is installed. */
export function sigil(...args: string[]): Promise<Outcome> {
  return sigilWith({}, ...args);
}

/** Runs it with variables of the environment beside those of the tests. */
export function sigilWith(variables: Readonly<Record<string, string>>, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const bin = `${ROOT}node_modules/.bin/sigil`;
    const options = { timeout: 90_000, env: { ...process.env, ...variables } };
    execFile(process.execPath, [bin, ...args], options, (error, stdout, stderr) => {
      // What was killed, because it took too long, has no code.
      const code = error ? Number(error.code ?? NaN) : 0;
      resolve({ code, stdout, stderr });
    });
  });
}
