/** A server on standard streams would have nobody to talk to. */
const DEFAULT_ARGUMENTS: readonly string[] = ['--http', '--port', '3000'];

/** What a command is told, and what the server that it starts is told. */
export interface SplitArguments {
  readonly own: readonly string[];
  readonly server: readonly string[];
}

/** Splits arguments at `--`. Without one, the server is to serve HTTP on port 3000. */
export function splitArguments(args: readonly string[]): SplitArguments {
  const at = args.indexOf('--');
  if (at < 0) return { own: args, server: DEFAULT_ARGUMENTS };
  return { own: args.slice(0, at), server: args.slice(at + 1) };
}
