import { Arg, Service, Tool, ToolContext } from '@sigil/core';
import { textOf } from '@sigil/core/content';
import type { ElicitResult, Root } from '@sigil/core/protocol';
import { CHOICES_FORM } from './forms/choices-form.js';
import { ContactForm } from './forms/contact-form.js';
import { ProfileForm } from './forms/profile-form.js';
import { question } from './sampling/question.js';

/**
 * Tools that send requests to the client: requests for a reply from its model, for input from its user, or for its
 * roots.
 */
@Service()
export class ClientFeatures {
  @Tool({ description: "Passes a prompt on to the client's model" })
  async testSampling(
    @Arg('prompt', { description: 'What to ask the model' }) prompt: string,
    ctx: ToolContext,
  ): Promise<string> {
    return `LLM response: ${textOf(await ctx.sample(question(prompt, 100)))}`;
  }

  @Tool({ description: 'Asks the user who they are' })
  async testElicitation(
    @Arg('message', { description: 'What to show the user' }) message: string,
    ctx: ToolContext,
  ): Promise<string> {
    return `User response: ${outcome(await ctx.elicit(message, ContactForm))}`;
  }

  @Tool({ name: 'test_elicitation_sep1034_defaults', description: 'Shows a form that comes filled in' })
  async showDefaults(ctx: ToolContext): Promise<string> {
    return `Elicitation completed: ${outcome(await ctx.elicit('Please check your profile', ProfileForm))}`;
  }

  @Tool({ name: 'test_elicitation_sep1330_enums', description: 'Shows a form with every kind of choice' })
  async showChoices(ctx: ToolContext): Promise<string> {
    return `Elicitation completed: ${outcome(await ctx.elicit('Please choose', CHOICES_FORM))}`;
  }

  @Tool({ description: 'Reports progress and asks the user, both on the stream of the call' })
  async testStreamingElicitation(ctx: ToolContext): Promise<string> {
    ctx.progress(1, 2, 'About to ask');
    const answer = await ctx.elicit('Who is watching?', ContactForm);
    ctx.progress(2, 2, 'Answered');
    return `Elicitation completed: ${outcome(answer)}`;
  }

  @Tool({ description: "Asks the client's model; a client without a model receives an error" })
  async testMissingCapability(ctx: ToolContext): Promise<string> {
    return textOf(await ctx.sample(question('Reply with one word: pong', 16)));
  }

  @Tool({ description: 'Asks the user to enter data on a page, so that it does not pass through the client' })
  async openPage(@Arg('url', { format: 'uri' }) url: string, ctx: ToolContext): Promise<string> {
    const { action } = await ctx.elicitUrl('Please continue in your browser', url);
    return `The user chose to ${action}`;
  }

  @Tool({ description: 'Lists the roots that the client shares with this server', readOnly: true })
  async listClientRoots(ctx: ToolContext): Promise<{ roots: readonly Root[] }> {
    return { roots: await ctx.roots() };
  }
}

function outcome<T>({ action, content }: ElicitResult<T>): string {
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
}
