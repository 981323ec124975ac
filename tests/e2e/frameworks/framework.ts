import type { App } from '@sigil/core';
import type { HttpOptions } from '@sigil/http';

/** An app that is served by a framework, under `/api/mcp`. */
export interface Served {
  readonly address: string;
  /** Where the framework speaks something else than HTTP/1.1. */
  readonly fetch?: typeof globalThis.fetch;
  /** Lets requests in flight finish: closes the handler, and nothing around it. */
  drain(graceMs?: number): Promise<void>;
  /** Ends the server around it. */
  close(): Promise<void>;
}

/** One way in which apps are mounted into a framework. */
export interface Framework {
  readonly name: string;
  /** @param forgetsBody whether the framework reads the body of a request, and hands nothing of it on. */
  serve(app: App, options: HttpOptions, forgetsBody: boolean): Promise<Served>;
  /** Whether the framework can read a body without handing it on. */
  readonly readsBodies: boolean;
}
