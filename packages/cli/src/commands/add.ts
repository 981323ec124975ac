import type { ExitCode } from '../failures.js';
import { type Command, readArguments } from './command.js';

/**
 * The flags of `create-mcp-app add`, which reads them. They are repeated here for the help, and so that a wrong flag
 * ends with exit code 2.
 */
const OPTIONS = {
  force: { type: 'boolean', about: 'overwrite existing files' },
  'dry-run': { type: 'boolean', about: 'show what would be written, without writing anything' },
  json: { type: 'boolean', about: 'the result as JSON' },
} as const;

/**
 * `sigil add`: adds a class and its test to a project. It calls the function of `create-mcp-app add`, so both commands
 * write the same files. Nothing is downloaded, because `create-mcp-app` is a dependency of this package.
 */
export const add: Command = {
  synopsis: 'add tool|resource|prompt|service|view <name> [--force] [--dry-run]',
  purpose: 'add a class and its test, or a view, to the project that contains this folder',
  example: 'add tool get-weather',
  options: OPTIONS,
  async run(args, terminal): Promise<ExitCode> {
    readArguments(args, OPTIONS, ['tool|resource|prompt|service|view', '<name>'], 'any');
    // Either all files are written or none: an interruption stops the command between steps, after it has cleaned up.
    const stop = new AbortController();
    const interrupt = (): void => stop.abort();
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
    try {
      // Only this command loads the module.
      const { runCreateMcpApp } = await import('create-mcp-app');
      return await runCreateMcpApp(['add', ...args], {
        // Messages begin with this name.
        commandName: 'sigil',
        cwd: process.cwd(),
        env: process.env,
        signal: stop.signal,
        out: (line) => terminal.out(line),
        err: (line) => terminal.err(line),
      });
    } finally {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    }
  },
};
