/** A target platform. */
export type TargetName = 'node' | 'worker' | 'lambda' | 'deno' | 'bun';

/** The properties of a target. */
export interface Target {
  /** The conditions of packages that hold there, beside `import` and `default`. */
  readonly conditions: readonly string[];
  /** Whether it has files, and packages that are installed beside the bundle. */
  readonly hasFiles: boolean;
  /** Packages that the target itself provides. */
  readonly provided: RegExp;
  /** Code for globals that the target alone has: it runs first while a program is described on this machine. */
  readonly globals?: string;
  /** The entry point: the program itself, or its exports for a platform. */
  readonly serves: 'program' | 'exports';
  /** The file beside the program that `sigil build` writes unless another name is given. */
  readonly file: string;
  /** The command that starts the file, with `%` in its place. */
  readonly start: string;
}

/** Serving, while a program is described: it has made its apps then. */
const SERVE = `() => {
  globalThis[Symbol.for('sigil:build-record')].serves();
  return { finished: new Promise(() => undefined), shutdown: async () => undefined, stop: async () => undefined };
}`;

export const TARGETS: Readonly<Record<TargetName, Target>> = {
  node: {
    conditions: ['node'],
    hasFiles: true,
    provided: /^node:/,
    serves: 'program',
    file: 'app.mjs',
    start: 'node %',
  },
  worker: {
    conditions: ['workerd', 'worker', 'browser', 'module'],
    hasFiles: false,
    provided: /^(?:node:|cloudflare:)/,
    serves: 'exports',
    file: 'worker.mjs',
    start: 'wrangler deploy % --no-bundle',
  },
  lambda: {
    conditions: ['node'],
    hasFiles: true,
    provided: /^(?:node:|@aws-sdk\/|@smithy\/)/,
    globals: 'globalThis.awslambda = { streamifyResponse: (handler) => handler };',
    serves: 'exports',
    file: 'lambda.mjs',
    start: 'deploy % as the handler of the function',
  },
  deno: {
    conditions: ['deno', 'node'],
    hasFiles: true,
    provided: /^node:/,
    globals: `globalThis.Deno = {
  args: [],
  version: { deno: '2.0.0' },
  build: { os: process.platform, arch: process.arch },
  env: { get: (name) => process.env[name], has: (name) => name in process.env, toObject: () => ({ ...process.env }) },
  addSignalListener: () => undefined,
  serve: ${SERVE},
};`,
    serves: 'program',
    file: 'app.mjs',
    start: 'deno run -A %',
  },
  bun: {
    conditions: ['bun', 'node'],
    hasFiles: true,
    provided: /^(?:node:|bun(?::|$))/,
    globals: `globalThis.Bun = { version: '1.0.0', argv: process.argv, env: process.env, serve: ${SERVE} };`,
    serves: 'program',
    file: 'app.mjs',
    start: 'bun %',
  },
};
