import { expect, test } from '@jest/globals';
import { connect, textOf } from '@sigil/testing';
import { createServer } from '../src/app.js';

test('serves a recipe as JSON', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  const result = await client.readResource('recipes://risotto');

  expect(JSON.parse(textOf(result))).toMatchObject({ title: 'Mushroom risotto', serves: 4 });
});

test('has no recipe that is not in the book', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  await expect(client.readResource('recipes://gravel')).rejects.toThrow('Resource not found');
});

test('completes the names of recipes', async () => {
  await using app = await createServer();
  await using client = await connect(app);

  const { values } = await client.complete({ type: 'ref/resource', uri: 'recipes://{name}' }, 'name', 'ri');

  expect(values).toEqual(['risotto', 'rice-pudding']);
});
