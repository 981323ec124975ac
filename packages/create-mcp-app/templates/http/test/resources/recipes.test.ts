import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { options } from '../../src/app.js';

test('serves a recipe as JSON', async () => {
  await using server = await testApp(options);

  const result = await server.client.readResource('recipes://risotto');

  expect(JSON.parse(textOf(result))).toMatchObject({ title: 'Mushroom risotto', serves: 4 });
});

test('has no recipe that is not in the book', async () => {
  await using server = await testApp(options);

  await expect(server.client.readResource('recipes://gravel')).rejects.toThrow('Resource not found');
});

test('completes the names of recipes', async () => {
  await using server = await testApp(options);

  const { values } = await server.client.complete(
    { type: 'ref/resource', uri: 'recipes://{name}' },
    'name',
    'ri',
  );

  expect(values).toEqual(['risotto', 'rice-pudding']);
});
