/**
 * A failure the model should see and may react to: the tool's result becomes `isError: true` with this text.
 * Specification 2026-07-28, server/tools, "Error Handling" (tool execution errors).
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';

  /**
   * @param message what went wrong and what the model can do about it.
   * @param options `structuredContent` travels beside the text; `cause` is logged and never sent.
   */
  constructor(message: string, options?: ErrorOptions & { readonly structuredContent?: unknown }) {
    super(message, options);
    this.structuredContent = options?.structuredContent;
  }

  readonly structuredContent: unknown;
}

const BRAND = Symbol.for('sigil:tool-error');
Object.defineProperty(ToolError.prototype, BRAND, { value: true });

/** Whether an error is a `ToolError`, of this copy of the package or another. */
export function isToolError(error: unknown): error is ToolError {
  return typeof error === 'object' && error !== null && BRAND in error;
}
