import type { Annotations, Icon } from './content.js';
import type { JsonSchema } from './json.js';

/** The name and version of a client or server. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
}

interface Descriptor {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: Record<string, unknown>;
}

/** Hints about the effects of a tool. A client can show them when it asks its user for consent. Since 2025-03-26. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool as `tools/list` shows it. */
export interface Tool extends Descriptor {
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
}

/** A resource as `resources/list` shows it. */
export interface Resource extends Descriptor {
  readonly uri: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  /** Size of the raw contents in bytes. */
  readonly size?: number;
}

/** A resource template as `resources/templates/list` shows it. */
export interface ResourceTemplate extends Descriptor {
  /** The template, as RFC 6570 defines it. */
  readonly uriTemplate: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
}

/** One argument of a prompt. */
export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** A prompt as `prompts/list` shows it. */
export interface Prompt extends Descriptor {
  readonly arguments?: readonly PromptArgument[];
}

/** The schema keyword that makes clients repeat an argument in an HTTP header (2026-07-28, server/tools). */
export const HEADER_KEYWORD = 'x-mcp-header';

/** An argument that clients repeat in an HTTP header, so that a gateway need not read the body. */
export interface MirroredArgument {
  /** The name of the header in lower case, such as `mcp-param-region`. */
  readonly header: string;
  /** The path of the argument: the names of the properties that lead to it. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}
