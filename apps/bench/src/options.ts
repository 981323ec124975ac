/** The options of every server in the bench: Sigil, the minimal servers and the other frameworks. */
export interface ServerOptions {
  /** Serve HTTP instead of stdio. */
  readonly http: boolean;
  /** Port to listen on when `http` is set. */
  readonly port: number;
  /** How many tools to register. */
  readonly tools: number;
  /** Keep one transport per session instead of answering statelessly (only for the servers of the official SDKs). */
  readonly sessions: boolean;
  /** How long sessions live without traffic, in milliseconds (`server-idle` only). */
  readonly idleMs: number | undefined;
  /** Maximum size of a request's body (`server-hostile` only). */
  readonly maxBodyBytes: number | undefined;
}

/** Reads `--http`, `--port N`, `TOOLS`, `SESSIONS`, `IDLE_MS` and `MAX_BODY_BYTES`. */
export function readServerOptions(): ServerOptions {
  const args = process.argv.slice(2);
  const at = args.indexOf('--port');
  return {
    http: args.includes('--http'),
    port: at < 0 ? 3000 : Number(args[at + 1]),
    tools: Number(process.env['TOOLS'] ?? '1'),
    sessions: process.env['SESSIONS'] === '1',
    idleMs: numberFrom('IDLE_MS'),
    maxBodyBytes: numberFrom('MAX_BODY_BYTES'),
  };
}

function numberFrom(variable: string): number | undefined {
  const text = process.env[variable];
  return text === undefined ? undefined : Number(text);
}

/** Returns the names of the tools that a server registers: `add`, `add1`, `add2`, … */
export function toolNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? 'add' : `add${index}`));
}
