import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { options } from '../../src/app.js';

test('finds recipes by ingredient and links to them', async () => {
  await using server = await testApp(options);

  const result = await server.client.callTool('find_recipes', { ingredient: 'Rice' });

  expect(textOf(result)).toBe('With Rice: Mushroom risotto, Rice pudding');
  expect(result.content.slice(1)).toMatchObject([
    { type: 'resource_link', uri: 'recipes://risotto' },
    { type: 'resource_link', uri: 'recipes://rice-pudding' },
  ]);
});

test('tells the model when no recipe uses the ingredient', async () => {
  await using server = await testApp(options);

  const result = await server.client.callTool('find_recipes', { ingredient: 'snow' });

  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe('No recipe uses snow');
});
