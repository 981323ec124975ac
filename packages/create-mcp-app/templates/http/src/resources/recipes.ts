import { Complete, Param, Resource, Service } from '@sigil/core';
import { type Recipe, RecipeBook } from '../services/recipe-book.js';

@Service()
export class Recipes {
  constructor(private readonly book: RecipeBook) {}

  @Resource('recipes://{name}', { description: 'One recipe', mimeType: 'application/json' })
  recipe(@Param('name', { description: 'Name of the recipe' }) name: string): Recipe | undefined {
    return this.book.byName(name);
  }

  @Complete('recipes://{name}', 'name')
  names(prefix: string): string[] {
    return this.book
      .all()
      .map(({ name }) => name)
      .filter((name) => name.startsWith(prefix));
  }
}
