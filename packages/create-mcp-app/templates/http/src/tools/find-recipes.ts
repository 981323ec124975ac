import { Arg, Service, Tool, ToolError } from '@sigil/core';
import { type ContentBlock, content } from '@sigil/core/content';
import { RecipeBook } from '../services/recipe-book.js';

@Service()
export class FindRecipes {
  constructor(private readonly book: RecipeBook) {}

  @Tool({ description: 'Finds the recipes that use an ingredient', readOnly: true, openWorld: false })
  findRecipes(
    @Arg('ingredient', { description: 'One ingredient, such as "rice"', minLength: 1 }) ingredient: string,
  ): ContentBlock[] {
    const found = this.book.using(ingredient);
    // The model receives the message of a ToolError. For any other error, it receives only a general message.
    if (found.length === 0) throw new ToolError(`No recipe uses ${ingredient}`);
    const titles = found.map(({ title }) => title).join(', ');
    return [
      content.text(`With ${ingredient}: ${titles}`),
      ...found.map(({ name, title }) => content.resourceLink(`recipes://${name}`, title)),
    ];
  }
}
