import { Service } from '@sigil/core';

export interface Recipe {
  readonly name: string;
  readonly title: string;
  readonly serves: number;
  readonly ingredients: readonly string[];
}

const RECIPES: readonly Recipe[] = [
  { name: 'risotto', title: 'Mushroom risotto', serves: 4, ingredients: ['rice', 'mushrooms', 'stock'] },
  {
    name: 'ratatouille',
    title: 'Ratatouille',
    serves: 6,
    ingredients: ['aubergine', 'courgette', 'tomatoes'],
  },
  { name: 'rice-pudding', title: 'Rice pudding', serves: 4, ingredients: ['rice', 'milk', 'vanilla'] },
  { name: 'shakshuka', title: 'Shakshuka', serves: 2, ingredients: ['eggs', 'tomatoes', 'peppers'] },
];

@Service()
export class RecipeBook {
  all(): readonly Recipe[] {
    return RECIPES;
  }

  byName(name: string): Recipe | undefined {
    return RECIPES.find((recipe) => recipe.name === name);
  }

  using(ingredient: string): Recipe[] {
    const wanted = ingredient.toLowerCase();
    return RECIPES.filter(({ ingredients }) => ingredients.includes(wanted));
  }
}
