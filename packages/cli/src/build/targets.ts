/** Where a built program is going to run. */
export type TargetName = 'node' | 'worker' | 'lambda' | 'deno' | 'bun';

/** What a target makes of a program. */
export interface Target {
  /** The conditions of packages that hold there, beside `import` and `default`. */
  readonly conditions: readonly string[];
  /** Whether it has the modules of Node, so that transports and packages may use them. */
  readonly node: boolean;
  /** Imports that the target itself provides. */
  readonly provided: RegExp;
  /** Whether modules know where their file is. */
  readonly files: boolean;
  /** Whether it imports modules from text. */
  readonly text: boolean;
  /** What is run first while a program is described on this machine: it stands for globals that the target alone has. */
  readonly globals?: string;
  /** What serves: the program itself, or what a platform takes from its exports. */
  readonly serves: 'program' | 'exports';
  /** What the file is called unless another name is given. */
  readonly file: string;
  /** How the file is started, where `%` stands for it. */
  readonly start: string;
}

const NODE_MODULES = /^node:/;
/** Serving, while a program is described: it has made its apps then. */
const SERVE = `() => {
  globalThis[Symbol.for('sigil:build-record')].serves();
  return { finished: new Promise(() => undefined), shutdown: async () => undefined, stop: async () => undefined };
}`;

export const TARGETS: Readonly<Record<TargetName, Target>> = {
  node: {
    conditions: ['node', 'module'],
    node: true,
    provided: NODE_MODULES,
    files: true,
    text: true,
    serves: 'program',
    file: 'dist/app.cjs',
    start: 'node %',
  },
  worker: {
    conditions: ['workerd', 'worker', 'browser', 'module'],
    node: false,
    provided: /^(?:node:|cloudflare:)/,
    files: false,
    text: false,
    serves: 'exports',
    file: 'dist/worker.mjs',
    start: 'wrangler deploy % --no-bundle',
  },
  lambda: {
    conditions: ['node', 'module'],
    node: true,
    provided: /^(?:node:|@aws-sdk\/|@smithy\/)/,
    files: true,
    text: true,
    globals: 'globalThis.awslambda = { streamifyResponse: (handler) => handler };',
    serves: 'exports',
    file: 'dist/lambda.mjs',
    start: 'deploy % as the handler of the function',
  },
  deno: {
    conditions: ['deno', 'node', 'module'],
    node: true,
    provided: NODE_MODULES,
    files: true,
    text: false,
    globals: `globalThis.Deno = {
  args: [],
  version: { deno: '2.0.0' },
  build: { os: process.platform, arch: process.arch },
  env: { get: (name) => process.env[name], has: (name) => name in process.env, toObject: () => ({ ...process.env }) },
  addSignalListener: () => undefined,
  serve: ${SERVE},
};`,
    serves: 'program',
    file: 'dist/app.mjs',
    start: 'deno run -A %',
  },
  bun: {
    conditions: ['bun', 'node', 'module'],
    node: true,
    provided: /^(?:node:|bun(?::|$))/,
    files: true,
    text: false,
    globals: `globalThis.Bun = { version: '1.0.0', argv: process.argv, env: process.env, serve: ${SERVE} };`,
    serves: 'program',
    file: 'dist/app.mjs',
    start: 'bun %',
  },
};
