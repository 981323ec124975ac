import type { ContentBlock } from '../protocol/content.js';
import type { CallToolResult } from '../protocol/results.js';

/**
 * A tool result that is one JSON value and its text. The value is serialised once: the text of the content and the
 * structured content on the wire are the same characters.
 */
export class StructuredResult implements CallToolResult {
  /** The value as JSON. */
  readonly json: string;

  constructor(readonly structuredContent: unknown) {
    this.json = JSON.stringify(structuredContent) ?? 'null';
  }

  get content(): readonly ContentBlock[] {
    return [{ type: 'text', text: this.json }];
  }

  toJSON(): CallToolResult {
    return { content: this.content, structuredContent: this.structuredContent };
  }
}
