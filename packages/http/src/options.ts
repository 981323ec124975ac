/** How long sessions live and how many there may be. */
export interface SessionOptions {
  /** A session without traffic ends after this many milliseconds. 30 minutes unless given. */
  readonly idleMs?: number;
  /** Most sessions at once; the longest idle makes room for a new one. 10,000 unless given. */
  readonly max?: number;
}

/** What the HTTP transport may be told, wherever it is mounted. */
export interface HttpOptions {
  /** Largest body of a request, in bytes. 4 MiB unless given. */
  readonly maxBodyBytes?: number;
  /** Hosts that `Host` may name, without port. Only those of this machine unless given; `'*'` for any. */
  readonly allowedHosts?: readonly string[] | '*';
  /** Origins of pages that may call, such as `https://app.example`. Pages of this machine unless given. */
  readonly allowedOrigins?: readonly string[];
  /** Sessions of clients up to 2025-11-25. */
  readonly sessions?: SessionOptions;
  /** A comment is sent on a quiet stream after this many milliseconds. 15 seconds unless given. */
  readonly keepAliveMs?: number;
  /** A client that leaves more bytes than this of a stream unread is cut off. 16 MiB unless given. */
  readonly maxBufferedBytes?: number;
}

/** What `http()` may be told. */
export interface HttpRuntimeOptions extends HttpOptions {
  /** Port to listen on; 0 for any free one. 3000 unless given. */
  readonly port?: number;
  /** Address to listen on. 127.0.0.1 unless given; listen elsewhere only behind authentication. */
  readonly host?: string;
  /** Path of the MCP endpoint. `/mcp` unless given. */
  readonly path?: string;
  /** How long requests in flight may take to finish at close, in milliseconds. 5 seconds unless given. */
  readonly drainMs?: number;
  /** Whether SIGTERM and SIGINT close the server. On unless given. */
  readonly handleSignals?: boolean;
}

/** Options with every default filled in. */
export interface ResolvedOptions {
  readonly maxBodyBytes: number;
  readonly allowedHosts: readonly string[] | '*';
  readonly allowedOrigins: readonly string[];
  readonly sessionIdleMs: number;
  readonly maxSessions: number;
  readonly keepAliveMs: number;
  readonly maxBufferedBytes: number;
}

/** The names a machine calls itself. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

const NUMBERS = ['maxBodyBytes', 'sessionIdleMs', 'maxSessions', 'keepAliveMs', 'maxBufferedBytes'] as const;

/**
 * Fills in defaults.
 *
 * @throws RangeError when a number is out of range.
 */
export function resolveOptions(options: HttpOptions): ResolvedOptions {
  const resolved = {
    maxBodyBytes: options.maxBodyBytes ?? 4 * 1024 * 1024,
    allowedHosts: lowerCase(options.allowedHosts ?? LOOPBACK_HOSTS),
    allowedOrigins: options.allowedOrigins ?? [],
    sessionIdleMs: options.sessions?.idleMs ?? 30 * 60_000,
    maxSessions: options.sessions?.max ?? 10_000,
    keepAliveMs: options.keepAliveMs ?? 15_000,
    maxBufferedBytes: options.maxBufferedBytes ?? 16 * 1024 * 1024,
  };
  for (const key of NUMBERS) {
    const value = resolved[key];
    if (!(Number.isSafeInteger(value) && value > 0))
      throw new RangeError(`${key} must be a positive integer, not ${value}`);
  }
  return resolved;
}

function lowerCase(hosts: readonly string[] | '*'): readonly string[] | '*' {
  return hosts === '*' ? hosts : hosts.map((host) => host.toLowerCase());
}
