import { Arg, Service, startTask, TaskSupport, Tool, ToolContext, ToolError } from '@sigil/core';
import { DeletionForm, NameForm } from '../forms/small-forms.js';

/** Tools that ask the user while they run as a task, or before the task begins. */
@Service()
export class AskingJobs {
  @Tool({
    description: 'Asks the user before it deletes a file; can run as a task',
    destructive: true,
  })
  @TaskSupport('optional')
  async confirmDelete(@Arg('filename') filename: string, ctx: ToolContext): Promise<string> {
    const { action, content } = await ctx.elicit(`Delete ${filename}?`, DeletionForm);
    return action === 'accept' && content.confirm ? `Deleted ${filename}` : `Kept ${filename}`;
  }

  @Tool({ description: 'Asks two people at the same time' })
  @TaskSupport('optional')
  async multiInput(ctx: ToolContext): Promise<string> {
    const answers = await Promise.all([
      ctx.elicit('Who goes first?', NameForm, { key: 'first' }),
      ctx.elicit('Who goes second?', NameForm, { key: 'second' }),
    ]);
    return answers.map(({ content }) => content?.name ?? 'nobody').join(', then ');
  }

  @Tool({ description: 'Asks for a name in the call, then greets in a task' })
  @TaskSupport({ support: 'required', start: 'handler' })
  async testToolWithTask(ctx: ToolContext): Promise<string> {
    const { content } = await ctx.elicit('What is your name?', NameForm, { key: 'user_name' });
    if (!content) throw new ToolError('Nobody to greet');
    await startTask(ctx, `Greeting ${content.name}`);
    return `Hello, ${content.name}, from a task`;
  }
}
