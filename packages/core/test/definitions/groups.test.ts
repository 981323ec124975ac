import 'reflect-metadata';
import { expect, test } from '@jest/globals';
import { IsInt, IsString } from 'class-validator';
import { defineTool, Prompt, Resource, Service, Tool } from '../../src/index.js';
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

test('a class serves a prompt and a resource with the rules of their groups', async () => {
  class Page {
    @IsString({ groups: ['write'] }) text!: string;
    @IsString() slug!: string;
  }
  @Service()
  class Wiki {
    @Prompt({ groups: ['read'] })
    summarise({ slug }: Page): string {
      return `Summarise ${slug}`;
    }

    @Resource('wiki://{slug}', { groups: ['read'] })
    page({ slug }: Page): string {
      return slug;
    }
  }
  const client = await openSession(await appOf({ services: [Wiki] }));
  const { prompts } = (await client.result('prompts/list')) as { prompts: { arguments: unknown }[] };
  expect(prompts[0]?.arguments).toEqual([{ name: 'slug', required: true }]);
  expect(await client.result('resources/read', { uri: 'wiki://tea' })).toMatchObject({
    contents: [{ text: 'tea' }],
  });
});
