import { MAX_DELAY_MS, OptionChecks, type OptionTable } from '@sigil/core/internal';
import { type Principal, requirePrincipal } from '@sigil/core/transport';
import type { Readable, Writable } from 'node:stream';

/** Limits on the memory that the client of `stdio()` can use. */
export interface StdioLimits {
  /**
   * Maximum bytes of one message. A longer message is answered with the JSON-RPC error -32600, and is not kept in
   * memory. The limit is higher than over HTTP, because the only client is the program that started this server.
   *
   * @default 16 MiB
   */
  readonly maxLineBytes?: number;
  /**
   * Maximum total size, in bytes, of the notifications that wait because the client does not read them. Beyond this
   * limit, new progress and log messages are dropped. Any other new notification ends the connection, because without
   * it the client would have outdated information about the server. Responses, and requests to the client, are not
   * counted, because the server stops reading messages while the output is full.
   *
   * @default 16 MiB
   */
  readonly maxBufferedBytes?: number;
}

/** Options of `stdio()`. */
export interface StdioOptions {
  /** The stream to read messages from; `process.stdin` by default. */
  readonly input?: Readable;
  /** The stream to write messages to; `process.stdout` by default. */
  readonly output?: Writable;
  /** Limits on the memory that the client can use. */
  readonly limits?: StdioLimits;
  /**
   * The principal of the client: the user who runs the server, with the scopes for `@RequireScopes`. The stdio
   * transport has no authorization, so your program sets the principal, for example from environment variables.
   *
   * @default undefined: definitions that require scopes are refused
   */
  readonly principal?: Principal;
  /**
   * How many milliseconds requests in flight can continue after a signal, or after the end of the input. After this
   * time, they are aborted. Clients kill a server that has not ended after 2 to 4 seconds. With the default, the server
   * ends within 1.5 seconds, which includes the disposal of services.
   *
   * @default 750
   */
  readonly drainMs?: number;
  /**
   * Whether SIGTERM (exit code 0) and SIGINT (exit code 130) shut the server down gracefully. A second signal ends it
   * immediately.
   *
   * @default true
   */
  readonly handleSignals?: boolean;
  /**
   * Whether only the transport can write to standard output while the server runs. All other output, such as that of
   * `console`, then goes to standard error. The option has no effect if you set `output`.
   *
   * @default true
   */
  readonly guardStdout?: boolean;
}

declare module '@sigil/core' {
  interface RuntimeOptionTypes {
    readonly stdio: StdioOptions;
  }
}

/** The options of `stdio()` with all defaults filled in. */
export type StdioSettings = Required<Omit<StdioOptions, 'limits' | 'principal'> & StdioLimits> &
  Pick<StdioOptions, 'principal'>;

const LIMITS: OptionTable<StdioLimits> = { maxLineBytes: true, maxBufferedBytes: true };
const OPTIONS: OptionTable<StdioOptions> = {
  input: true,
  output: true,
  limits: true,
  principal: true,
  drainMs: true,
  handleSignals: true,
  guardStdout: true,
};
const MIB = 1024 * 1024;

/**
 * Validates the options of `stdio()`, and returns them with all defaults filled in.
 *
 * @throws DefinitionError when an option is wrong.
 */
export function readSettings(options: StdioOptions): StdioSettings {
  OptionChecks.requireObject('stdio', options);
  const checks = new OptionChecks('stdio');
  checks.booleans(options, 'handleSignals', 'guardStdout');
  checks.methods('input', options.input, 'on');
  checks.methods('output', options.output, 'write');
  checks.known(options, OPTIONS);
  const limits: StdioLimits = checks.group('limits', options.limits, LIMITS);
  checks.integers(limits, 'limits.');
  const { drainMs = 750 } = options;
  if (typeof drainMs !== 'number' || !(drainMs >= 0 && drainMs <= MAX_DELAY_MS))
    checks.refuse('drainMs', `it must be between 0 and ${MAX_DELAY_MS}, not ${drainMs}`);
  const { principal } = options;
  try {
    if (principal !== undefined) requirePrincipal(principal);
  } catch (error) {
    checks.refuse(
      'principal',
      error instanceof Error ? error.message : String(error),
      "pass an object with an id, such as { id: 'me', scopes: ['files'] }",
    );
  }
  checks.throwIfAny();
  return {
    ...(principal ? { principal } : {}),
    input: options.input ?? process.stdin,
    output: options.output ?? process.stdout,
    maxLineBytes: limits.maxLineBytes ?? 16 * MIB,
    maxBufferedBytes: limits.maxBufferedBytes ?? 16 * MIB,
    drainMs,
    handleSignals: options.handleSignals ?? true,
    guardStdout: options.guardStdout ?? true,
  };
}
