import 'reflect-metadata';
import { expect, test } from '@jest/globals';
import { IsInt, IsString } from 'class-validator';
import { defineTool, Service, Tool } from '../../src/index.js';
import { appOf, openSession } from '../harness.js';

class Product {
  @IsInt({ groups: ['update'] }) id!: number;
  @IsString() name!: string;
}

test('one class serves several tools, each with the rules of its groups', async () => {
  @Service()
  class Shop {
    @Tool({ groups: ['create'] })
    create(product: Product): string {
      return product.name;
    }

    @Tool({ groups: ['update'] })
    update(product: Product): string {
      return `${product.id}`;
    }
  }
  const replace = defineTool({
    name: 'replace',
    input: Product,
    groups: ['create'],
    handle: ({ name }) => name,
  });
  const app = await appOf({ services: [Shop], definitions: [replace] });
  const client = await openSession(app);
  const { tools } = (await client.result('tools/list')) as {
    tools: { name: string; inputSchema: { required: string[] } }[];
  };
  expect(Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema.required]))).toEqual({
    create: ['name'],
    update: ['id', 'name'],
    replace: ['name'],
  });
  const call = async (name: string, args: object): Promise<unknown> =>
    ((await client.result('tools/call', { name, arguments: args })) as { isError?: boolean }).isError ??
    false;
  expect(await call('create', { name: 'tea' })).toBe(false);
  expect(await call('create', { id: 1, name: 'tea' })).toBe(true);
  expect(await call('update', { name: 'tea' })).toBe(true);
});
