import type { ClientCapabilities } from '../../protocol/protocol.js';
import { isObject } from '../../protocol/json.js';
import type { LogLevel } from '../../protocol/logging.js';
import { readTrace } from './levels.js';

/** What the parameters of `initialize` say in the dialect, beyond what the specification has. */
export interface Opening {
  /** What the client can do, the roots it shares by `workspaceFolders` included. */
  readonly capabilities: ClientCapabilities;
  /** The level that `trace` stands for. */
  readonly logLevel: LogLevel | undefined;
  /** The roots that `workspaceFolders` names, unchecked; `undefined` where the client is to be asked for them. */
  readonly roots: readonly unknown[] | undefined;
}

/**
 * Reads `trace` and `workspaceFolders`, which older documents took over from the Language Server Protocol. A client that declares
 * `roots` is asked for them, for what it answers is newer.
 */
export function readOpening(
  { trace, workspaceFolders }: Readonly<Record<string, unknown>>,
  declared: ClientCapabilities,
): Opening {
  const logLevel = readTrace(trace);
  const roots = declared.roots ? undefined : readFolders(workspaceFolders);
  return { capabilities: roots ? { ...declared, roots: {} } : declared, logLevel, roots };
}

/** `null` stands for no folder (LSP 3.17, "Initialize Request"). */
function readFolders(folders: unknown): readonly unknown[] | undefined {
  if (folders === null) return [];
  if (!Array.isArray(folders)) return undefined;
  return folders.map((folder: unknown) => {
    const { uri, name } = isObject(folder) ? folder : {};
    return { uri, name };
  });
}
