/** The schema keyword that has clients repeat an argument in an HTTP header (2026-07-28, server/tools). */
export const HEADER_KEYWORD = 'x-mcp-header';

/** An argument that clients repeat in an HTTP header, for gateways that do not read bodies. */
export interface MirroredArgument {
  /** The header, in lower case: `mcp-param-region`. */
  readonly header: string;
  /** Where the argument stands: the names of the properties that lead to it. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}
