import { randomUUID } from 'node:crypto';
import { Prompt, PromptContext, Service, Tool, ToolContext } from '@sigil/core';
import { textOf } from '@sigil/core/content';
import { BackgroundForm, ColorForm, ConfirmForm, NameForm } from './forms/small-forms.js';
import { question } from './sampling/question.js';

/**
 * Handlers that await the answers of the client. In revision 2026-07-28, the client sends its answers by repeating the
 * call. The handlers need no code for this.
 */
@Service()
export class Dialogues {
  @Tool({ name: 'test_input_required_result_elicitation', description: 'Asks the user for a name' })
  async greet(ctx: ToolContext): Promise<string> {
    const { content } = await ctx.elicit('What is your name?', NameForm, { key: 'user_name' });
    return `Hello, ${content?.name ?? 'stranger'}!`;
  }

  @Tool({ name: 'test_input_required_result_sampling', description: "Asks the client's model one question" })
  async capital(ctx: ToolContext): Promise<string> {
    return textOf(await ctx.sample(question('What is the capital of France?', 100)));
  }

  @Tool({ name: 'test_input_required_result_list_roots', description: 'Asks the client for its roots' })
  async roots(ctx: ToolContext): Promise<string> {
    const roots = await ctx.roots();
    return `Roots: ${roots.map(({ uri }) => uri).join(', ')}`;
  }

  @Tool({
    name: 'test_input_required_result_request_state',
    description: 'Creates a ticket, asks for consent, and still has the same ticket afterwards',
  })
  async ticket(ctx: ToolContext): Promise<string> {
    const ticket = await ctx.once('ticket', () => randomUUID());
    const { content } = await ctx.elicit('Please confirm', ConfirmForm);
    return `state-ok: ticket ${ticket} is ${content?.ok ? 'confirmed' : 'void'}`;
  }

  @Tool({
    name: 'test_input_required_result_tampered_state',
    description: 'Asks for consent; an answer with a forged requestState is refused before the tool runs',
  })
  async consent(ctx: ToolContext): Promise<string> {
    const { content } = await ctx.elicit('Please confirm', ConfirmForm);
    return content?.ok ? 'Confirmed' : 'Not confirmed';
  }

  @Tool({
    name: 'test_input_required_result_multiple_inputs',
    description: 'Requests input from the user, the model and the client at the same time',
  })
  async everybody(ctx: ToolContext): Promise<string> {
    const [{ content }, greeting, roots] = await Promise.all([
      ctx.elicit('What is your name?', NameForm),
      ctx.sample(question('Generate a greeting', 50)),
      ctx.roots(),
    ]);
    return `${textOf(greeting)} ${content?.name ?? 'stranger'}, you share ${roots.length} roots`;
  }

  @Tool({ name: 'test_input_required_result_multi_round', description: 'Asks the user twice' })
  async interview(ctx: ToolContext): Promise<string> {
    const name = await ctx.elicit('Step 1: What is your name?', NameForm);
    const color = await ctx.elicit('Step 2: What is your favorite color?', ColorForm);
    return `${name.content?.name ?? 'Somebody'} likes ${color.content?.color ?? 'no color'}`;
  }

  @Tool({
    name: 'test_input_required_result_capabilities',
    description: 'Asks the user, the model, or both, as the capabilities of the client allow',
  })
  async whoeverIsThere(ctx: ToolContext): Promise<string> {
    const { elicitation, sampling } = ctx.client.capabilities;
    const [answer, message] = await Promise.all([
      elicitation && ctx.elicit('What is your name?', NameForm),
      sampling && ctx.sample(question('What is the capital of France?', 100)),
    ]);
    return [answer?.content?.name, message && textOf(message)].filter(Boolean).join(': ');
  }

  @Prompt({
    name: 'test_input_required_result_prompt',
    description: 'Asks the user for background information, and returns a prompt with it',
  })
  async background(ctx: PromptContext): Promise<string> {
    const { content } = await ctx.elicit('What context should the prompt use?', BackgroundForm);
    return `Keep in mind: ${content?.context ?? 'nothing'}`;
  }
}
