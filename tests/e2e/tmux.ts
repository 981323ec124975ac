import { execFileSync, spawnSync } from 'node:child_process';

/** Whether this machine has tmux. */
export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

/** A command in a terminal that tmux draws: its screen can be read, and keys pressed. Each has a server of its own. */
export class TmuxTerminal {
  readonly #socket = `sigil-${process.pid}-${Math.random().toString(36).slice(2)}`;

  /** @param command a line for the shell. */
  constructor(
    command: string,
    { columns, rows, cwd }: { readonly columns: number; readonly rows: number; readonly cwd: string },
  ) {
    const size = ['-x', String(columns), '-y', String(rows)];
    // What was shown stays when the command has ended, and what it copies comes into a buffer.
    const options = [
      'set-option',
      '-g',
      'remain-on-exit',
      'on',
      ';',
      'set-option',
      '-s',
      'set-clipboard',
      'on',
    ];
    this.#tmux(
      'start-server',
      ';',
      ...options,
      ';',
      'new-session',
      '-d',
      ...size,
      '-c',
      cwd,
      `${command}; echo "exit code $?"`,
    );
  }

  /** The lines of the screen, without those that are empty at its end. */
  screen(): string {
    return this.#tmux('capture-pane', '-p').trimEnd();
  }

  press(...keys: readonly string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** What was copied last. */
  copied(): string {
    return this.#tmux('show-buffer');
  }

  /** The exit code of the command; `undefined` while it runs. */
  exitCode(): number | undefined {
    // tmux itself forgets it, now and then.
    const [, code] = /^exit code (\d+)$/m.exec(this.screen()) ?? [];
    return code === undefined ? undefined : Number(code);
  }

  /** Ends the server of tmux, which hangs up on the command. */
  end(): void {
    spawnSync('tmux', ['-L', this.#socket, 'kill-server']);
  }

  #tmux(...args: string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  }
}
