/** A target platform. */
export type TargetName = 'node' | 'worker' | 'lambda' | 'deno' | 'bun';

/** The properties of a target. */
export interface Target {
  /** The conditions in `exports` of a `package.json` that apply to the target, besides `import` and `default`. */
  readonly conditions: readonly string[];
  /** Whether the target has a file system, so that packages can be installed beside the bundle. */
  readonly hasFiles: boolean;
  /** Pattern for the names of packages that the target itself provides. */
  readonly provided: RegExp;
  /**
   * Code that defines globals of the target, such as `Deno`. When the build runs the program in Node, it runs this code
   * first.
   */
  readonly globals?: string;
  /**
   * How the target serves clients. `program`: the target starts the bundle, which serves the clients. `exports`: the
   * target calls the exports of the bundle.
   */
  readonly serves: 'program' | 'exports';
  /** The name of the file that `sigil build` writes beside the program by default. */
  readonly file: string;
  /** How to start the file, usually a command; `%` stands for the file. */
  readonly start: string;
}

/**
 * Replaces the function that starts serving, while a program is described. When it is called, the program has
 * created its apps.
 */
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
    start: 'deploy % as the handler of the Lambda function',
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
