import {
  type Middleware,
  type NextFunction,
  PromptContext,
  type RequestContext,
  ResourceContext,
  Service,
  ToolContext,
} from '@sigil/core';

/** Middleware that counts the calls of every handler. */
@Service()
export class CallCounter implements Middleware {
  readonly #counts = new Map<string, number>();

  async handle(context: RequestContext, next: NextFunction): Promise<unknown> {
    const what = nameOf(context);
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
    return next();
  }

  /** How often each handler was called. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Sets all counts to zero. */
  reset(): void {
    this.#counts.clear();
  }
}

function nameOf(context: RequestContext): string {
  if (context instanceof ToolContext) return `tool ${context.tool}`;
  if (context instanceof PromptContext) return `prompt ${context.prompt}`;
  return context instanceof ResourceContext ? 'resources' : 'completions';
}
