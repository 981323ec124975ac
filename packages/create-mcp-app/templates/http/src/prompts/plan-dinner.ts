import { Arg, Prompt, Service } from '@sigil/core';
import { type PromptMessage, message } from '@sigil/core/content';

@Service()
export class PlanDinner {
  @Prompt({ description: 'Plans a dinner around one recipe' })
  planDinner(
    @Arg('recipe', { description: 'Name of the recipe' }) recipe: string,
    @Arg('guests', { description: 'How many people eat', minimum: 1 }) guests: number,
  ): PromptMessage {
    return message.user(`Plan a dinner for ${guests} around recipes://${recipe}, with a shopping list.`);
  }
}
