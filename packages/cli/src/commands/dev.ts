import { resolve } from 'node:path';
import { compilerProgram } from '../dev/compiler-program.js';
import { DevLoop } from '../dev/dev-loop.js';
import { splitArguments } from '../dev/split-arguments.js';
import { onStopSignals } from '../dev/stop-signals.js';
import { styled } from '../terminal.js';
import { readArguments } from './arguments.js';
import type { Command } from './command.js';

const OPTIONS = { compile: { type: 'string' } } as const;
const DEFAULT_ENTRY = 'dist/main.js';

/** `sigil dev`: compiles at every change, and restarts the server. */
export const dev: Command = {
  synopsis: 'dev [<main.js>] [--compile <command>] [-- <argument>…]',
  purpose: 'compile at every change, and restart the server over HTTP',
  async run(args, terminal) {
    const { own, server } = splitArguments(args);
    const { values, operands } = readArguments(own, OPTIONS, [], ['<main.js>']);
    const cwd = process.cwd();
    const { hasColours } = terminal;
    const say = (line: string): void => terminal.out(styled(terminal, 'dim', `sigil: ${line}`));
    const loop = new DevLoop(
      {
        cwd,
        entry: resolve(cwd, operands[0] ?? DEFAULT_ENTRY),
        args: server,
        env: { ...process.env, ...(hasColours ? { FORCE_COLOR: '1' } : {}) },
        compiler: compilerProgram({ cwd, compile: values.compile, hasColours, warn: say }),
      },
      terminal,
      say,
    );
    const stopListening = onStopSignals(
      (code) => loop.stop(code),
      () => loop.kill(),
    );
    return loop.ended.finally(stopListening);
  },
};
