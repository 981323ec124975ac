import { type App, createApp } from '@sigil/core';
import { PlanDinner } from './prompts/plan-dinner.js';
import { Recipes } from './resources/recipes.js';
import { FindRecipes } from './tools/find-recipes.js';

export function createServer(): Promise<App> {
  return createApp({
    name: 'template-http',
    version: '0.1.0',
    services: [FindRecipes, Recipes, PlanDinner],
  });
}
