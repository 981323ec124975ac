import type { AudioContent, ContentBlock, ImageContent, Role, TextContent } from './content.js';
import type { Tool } from './descriptors.js';

/**
 * The user's answer to a form. An accepted form always has content; other answers never have content. If the content
 * does not match the schema of the form, the answer is refused before the handler receives it.
 *
 * @typeParam T the type of the form.
 * @example
 * ```ts
 * const answer = await ctx.elicit('Which day?', Day);
 * if (answer.action !== 'accept') return 'Nothing was booked';
 * return `Booked for ${answer.content.day}`;
 * ```
 */
export type ElicitResult<T = Record<string, unknown>> =
  | { readonly action: 'accept'; readonly content: T }
  // Declared here too, so that code can destructure both members before it checks the action.
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined };

/**
 * The user's answer to the request to open a page. The action `accept` means that the user agreed to open the page, not
 * that the user has finished there.
 */
export interface ElicitUrlResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The id to pass to `app.completeElicitation()` when the user has finished on the page. Revision 2025-11-25 only. */
  readonly elicitationId?: string;
}

/** The model calls a tool. Since 2025-11-25. */
interface ToolUseContent {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** The result of a tool call by the model. Since 2025-11-25. */
interface ToolResultContent {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** One block of a sampling message. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/** One message of a sampling conversation. */
export interface SamplingMessage {
  readonly role: Role;
  readonly content: SamplingContent | readonly SamplingContent[];
}

/** Parameters of a request to the client's model (`sampling/createMessage`). */
export interface CreateMessageParams {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly includeContext?: 'none' | 'thisServer' | 'allServers';
  readonly modelPreferences?: {
    readonly hints?: readonly { readonly name?: string }[];
    readonly costPriority?: number;
    readonly speedPriority?: number;
    readonly intelligencePriority?: number;
  };
  readonly metadata?: Record<string, unknown>;
  readonly tools?: readonly Tool[];
  readonly toolChoice?: { readonly mode?: 'auto' | 'required' | 'none' };
}

/** The answer of the client's model. */
export interface CreateMessageResult extends SamplingMessage {
  readonly model: string;
  readonly stopReason?: string;
}

/** A directory or file that the client lets the server use. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly kind?: string;
  readonly _meta?: Record<string, unknown>;
  /** Further members from the client, unchecked. */
  readonly [member: string]: unknown;
}
