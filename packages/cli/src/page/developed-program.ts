import type { Manifest } from '@sigil/core/manifest';
import type { CheckReport } from '../check/check-manifest.js';
import type { JsonObject } from '../json.js';

/** The server that is being worked on. */
export interface ServerStatus {
  readonly status: 'starting' | 'up' | 'failed' | 'stopped';
  /** Its endpoint; absent where its port is not known. */
  readonly url?: string | undefined;
  /** Why it is so, for people. */
  readonly reason?: string | undefined;
}

/** What hears of the program. */
export interface ProgramListener {
  statusChanged?(): void;
  servedChanged?(): void;
  told?(event: string, data: JsonObject): void;
}

/** The program that `sigil dev` compiles and starts, as far as the page shows it. */
export interface DevelopedProgram {
  /** The folder of the project. */
  readonly cwd: string;
  /** The file that is started, absolute. */
  readonly main: string;
  readonly state: {
    readonly server: ServerStatus;
    readonly compiler: { readonly isCompiling: boolean; readonly problems: readonly string[] };
    /** How often the server was started. */
    readonly starts: number;
    /** @returns ends the subscription. */
    subscribe(listener: ProgramListener): () => void;
  };
  /**
   * What it serves, as it was compiled last.
   *
   * @throws ServerError when it does not start.
   */
  served(): Promise<{ readonly manifest: Manifest; readonly report: CheckReport }>;
}
