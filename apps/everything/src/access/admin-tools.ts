import { Service, Tool, ToolContext, UseGuards } from '@sigil/core';
import { CallCounter } from '../calls/call-counter.js';
import { RequiresScope, Scope } from './requires-scope.js';

/** Tools that only principals with certain scopes can see and call. */
@Service()
@UseGuards(RequiresScope)
export class AdminTools {
  constructor(private readonly counter: CallCounter) {}

  @Tool({ description: 'Forgets how often anything was called', destructive: true })
  @Scope('admin')
  resetCounts({ principal }: ToolContext): string {
    this.counter.reset();
    return `Reset by ${principal?.id ?? 'anonymous'}`;
  }
}
