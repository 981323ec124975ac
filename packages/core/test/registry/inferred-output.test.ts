import { describe, expect, test } from '@jest/globals';
import { IsInt, IsString } from 'class-validator';
import { Service, Tool } from '../../src/index.js';
import { appOf, statelessClient, textOf } from '../harness.js';

class Level {
  @IsString()
  sku!: string;

  @IsInt()
  quantity!: number;
}

class Other {
  @IsInt()
  count!: number;
}

describe('a tool that says it returns a DTO', () => {
  @Service()
  class Stock {
    @Tool()
    level(): Level {
      return { sku: 'TEA', quantity: 2 };
    }

    // @ts-expect-error the method declares another type
    @Tool({ output: Other })
    other(): Level {
      return { count: 1 } as unknown as Level;
    }

    @Tool()
    broken(): Level {
      return { sku: 'TEA' } as Level;
    }

    @Tool()
    async later(): Promise<Level> {
      return Promise.resolve({ sku: 'TEA', quantity: 2 });
    }

    @Tool()
    words(): string {
      return 'some';
    }
  }

  const open = async () => statelessClient(await appOf({ services: [Stock] }));

  test('has its schema for an output schema, unless it names another', async () => {
    const tools = await (await open()).list('tools');
    const described = Object.fromEntries(
      tools.map(({ name, outputSchema }) => [
        name,
        Object.keys((outputSchema as { properties?: object } | undefined)?.properties ?? {}),
      ]),
    );
    expect(described).toEqual({
      level: ['sku', 'quantity'],
      other: ['count'],
      broken: ['sku', 'quantity'],
      // A promise is all that reflection sees of these, or no DTO.
      later: [],
      words: [],
    });
  });

  test('gives structured content, which is held to it', async () => {
    const client = await open();
    expect(await client.call('level')).toMatchObject({ structuredContent: { sku: 'TEA', quantity: 2 } });
    expect(await client.error('tools/call', { name: 'broken' })).toMatchObject({ code: -32603 });
    expect(textOf(await client.call('words'))).toBe('some');
  });
});
