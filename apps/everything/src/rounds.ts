import { Arg, ask, inputRequired, type InputRequired, Service, Tool, ToolContext } from '@sigil/core';
import { textOf } from '@sigil/core/content';
import { ConfirmForm, NameForm } from './forms/small-forms.js';
import { question } from './sampling/question.js';

const ATTEMPTS = 3;

/**
 * Tools that control the round trips themselves. `planTrip` sends several requests to the client together.
 * `deleteRecord` ends its call with `inputRequired()`, and continues when the client repeats the call.
 */
@Service()
export class Rounds {
  @Tool({ description: 'Requests input from the user, the model and the client together' })
  async planTrip(@Arg('destination') destination: string, ctx: ToolContext): Promise<string> {
    const { traveller, plan, where } = await ctx.ask({
      traveller: ask.form('Who travels?', NameForm),
      plan: ask.sample(question(`One sight of ${destination}`, 50)),
      where: ask.roots(),
    });
    const name = traveller.content?.name ?? 'Nobody';
    return `${name} sees ${textOf(plan)} and writes home from ${where.length} directories`;
  }

  @Tool({ description: 'Deletes a record after the user has agreed, and stops asking after three refusals' })
  async deleteRecord(@Arg('id') id: string, ctx: ToolContext): Promise<string | InputRequired> {
    const consent = ask.form(`Delete record ${id}?`, ConfirmForm);
    const answer = await ctx.inputResponse('consent', consent);
    if (answer?.content?.ok) return `Record ${id} is deleted`;
    const refusals = answer ? Number(ctx.requestState) + 1 : 0;
    if (refusals === ATTEMPTS) return `Record ${id} stays`;
    return inputRequired({ consent }, String(refusals));
  }
}
