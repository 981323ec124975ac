import type { ProtocolError } from '../errors/protocol-error.js';
import type { Carry } from './asker.js';

/** What becomes of a handler that goes on after its request has been answered. */
export interface Background {
  /** How its questions reach the client from here on. */
  readonly carry: Carry;
  /** Tells how far it has come, in words. */
  report(message: string): void;
  /**
   * Takes its result.
   *
   * @param json the result without its `_meta`.
   */
  succeed(json: string, meta: Readonly<Record<string, unknown>> | undefined): void;
  /** Takes the error it ended with. */
  fail(error: ProtocolError): void;
}

/** A call that can be answered before its handler is done. */
export interface Detachable {
  /** Set where the handler itself decides when its call becomes a task; `ctx.startTask()` calls it. */
  taskStarter: ((statusMessage?: string) => Promise<boolean>) | undefined;
  /**
   * Answers now, and lets the handler go on.
   *
   * @param json the result to answer with, without `resultType` and `_meta`.
   * @returns whether it could: a request that was cancelled cannot be answered any more.
   */
  detach(json: string, resultType: string, background: Background): boolean;
  /** Aborts the signal of the handler. */
  abort(reason: string): void;
}
