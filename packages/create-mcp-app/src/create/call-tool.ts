import { spawn } from 'node:child_process';
import split from 'split2';
import { interrupted, throwIfInterrupted } from '../failures.js';
import { isObject, type JsonObject, parseJson } from '../json.js';
import type { SampleCall } from '../templates.js';

/** The protocol revision of the call. In this revision, a call is one request, without `initialize`. */
export const REVISION = '2026-07-28';

/** Members of `_meta` that every request has (revision 2026-07-28, basic, "Request metadata"). */
export const ENVELOPE = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
} as const;

/** Options of `callTool`. */
export interface CallOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Maximum time from the start of the server until its answer to the call, in milliseconds. */
  readonly timeoutMs: number;
}

/** How long a server may run after its input has ended, in milliseconds. */
const GRACE_MS = 1000;
const MOST_STDERR = 64 * 1024;

/**
 * Starts a server, calls one of its tools over stdio, and ends the server.
 *
 * @param args the arguments for Node: the path of the server's program, and the arguments of the server.
 * @returns the text of the tool's result.
 * @throws Failure `INTERRUPTED` if the signal was aborted.
 * @throws Error if the server does not answer. The error contains the output of the server.
 */
export async function callTool(
  args: readonly string[],
  { tool, arguments: given }: SampleCall,
  { cwd, env, signal, timeoutMs }: CallOptions,
): Promise<string> {
  throwIfInterrupted(signal);
  const child = spawn(process.execPath, args, { cwd, env, stdio: 'pipe' });
  const printed = { stderr: '' };
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (printed.stderr = (printed.stderr + text).slice(-MOST_STDERR)));
  // The end of a server is noticed by its exit, not by a failed write.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const answer = new Promise<JsonObject>((resolve, reject) => {
      // Not node:readline: newer ones end lines at U+2028 and U+2029 too, which JSON has within strings.
      child.stdout.pipe(split()).on('data', (line: string) => {
        const message = parseJson(line);
        if (isObject(message) && message['id'] === 1) resolve(message);
      });
      child.once('error', reject);
      const said = (): string => (printed.stderr.trim() === '' ? '' : `\n${printed.stderr.trim()}`);
      child.once('close', (code) => reject(new Error(`it ended with exit code ${code}${said()}`)));
      late.addEventListener('abort', () =>
        reject(new Error(`it did not answer within ${timeoutMs / 1000} s${said()}`)),
      );
      signal.addEventListener('abort', () => reject(interrupted()), { once: true });
    });
    child.stdin.write(`${JSON.stringify(requestFor(tool, given))}\n`);
    return textOf(await answer);
  } finally {
    child.stdin.end();
    const force = setTimeout(() => child.kill('SIGKILL'), signal.aborted ? 0 : GRACE_MS);
    await ended;
    clearTimeout(force);
  }
}

function requestFor(name: string, given: SampleCall['arguments']): object {
  const _meta = {
    [ENVELOPE.version]: REVISION,
    [ENVELOPE.client]: { name: 'create-mcp-app', version: '1' },
    [ENVELOPE.capabilities]: {},
  };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given, _meta } };
}

/** Returns the text of a result or of an error. */
function textOf({ result, error }: JsonObject): string {
  if (isObject(error)) throw new Error(`the server refused the call: ${String(error['message'])}`);
  const content = isObject(result) && Array.isArray(result['content']) ? result['content'] : [];
  const text = content
    .filter(isObject)
    .flatMap((block) => (typeof block['text'] === 'string' ? [block['text']] : []))
    .join('\n');
  if (isObject(result) && result['isError'] === true) throw new Error(`its tool failed: ${text}`);
  return text;
}
