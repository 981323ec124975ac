import { Arg, Service, Tool, ToolContext } from '@sigil/core';
import { ReturnForm } from '../dto/return-form.js';
import { Loans } from '../services/loans.js';

@Service()
export class ReturnBooks {
  constructor(private readonly loans: Loans) {}

  @Tool({
    description: 'Takes back the books of a loan; asks the user for their condition',
    destructive: false,
    openWorld: false,
  })
  async returnBooks(
    @Arg('loanId', { description: 'Id of the loan, such as "L-1"' }) loanId: string,
    ctx: ToolContext,
  ): Promise<string> {
    const titles = this.loans.get(loanId).books.map(({ title }) => title);
    // With clients of 2026-07-28, the handler runs again from its start after the answer. So change data only after the question.
    const { action, content } = await ctx.elicit(`In what condition are ${titles.join(', ')}?`, ReturnForm);
    if (action !== 'accept') return `Loan ${loanId} stays open`;
    this.loans.close(loanId);
    const note = content.note ? ` (${content.note})` : '';
    return `Loan ${loanId} is closed; condition: ${content.condition}${note}`;
  }
}
