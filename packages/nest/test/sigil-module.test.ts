import { afterEach, describe, expect, test } from '@jest/globals';
import { Inject, Injectable, Module, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { App, Arg, Complete, Param, Prompt, Resource, Tool, ToolContext } from '@sigil/core';
import { connect, type ConnectOptions, type TestClient, textOf } from '@sigil/testing';
import { IsInt, IsString } from 'class-validator';
import { type HttpRequest, SigilModule } from '../src/index.js';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const NAMED = { name: 'shop', version: '1.0.0' };

async function make(builder: TestingModuleBuilder): Promise<TestingModule> {
  const nest = await builder.compile();
  closing.push(() => nest.close());
  return nest;
}

async function clientOf(nest: TestingModule, options?: ConnectOptions): Promise<TestClient> {
  const client = await connect(nest.get(App), options);
  closing.push(() => client.close());
  return client;
}

describe('an application of Nest', () => {
  @Injectable()
  class Stock {
    count(sku: string): number {
      return sku.length;
    }
  }

  class Order {
    @IsString() sku!: string;
    @IsInt() quantity!: number;
  }

  @Injectable()
  class Inventory {
    constructor(private readonly stock: Stock) {}

    @Tool({ description: 'Counts pieces' })
    count(@Arg('sku') sku: string): number {
      return this.stock.count(sku);
    }

    @Tool({ description: 'Orders pieces' })
    order(order: Order, ctx: ToolContext): string {
      return `${order instanceof Order} ${order.quantity} ${order.sku} by ${ctx.principal?.id}`;
    }

    @Resource('products://{sku}')
    product(@Param('sku') sku: string): string {
      return `product ${sku}`;
    }

    @Complete('products://{sku}', 'sku')
    skus(prefix: string): string[] {
      return [`${prefix}-1`];
    }

    @Prompt({ description: 'Recommends' })
    recommend(@Arg('category') category: string): string {
      return `Recommend ${category}`;
    }
  }

  @Module({ providers: [Inventory, Stock], exports: [Inventory] })
  class InventoryModule {}

  test('serves the handlers of its providers, whose constructors Nest injects', async () => {
    const imports = [InventoryModule, SigilModule.forRoot(NAMED)];
    const client = await clientOf(await make(Test.createTestingModule({ imports })), {
      principal: { id: 'ada' },
    });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['count', 'order']);
    expect(textOf(await client.callTool('count', { sku: 'abc' }))).toBe('3');
    expect(textOf(await client.callTool('order', { sku: 'abc', quantity: 2 }))).toBe('true 2 abc by ada');
    expect(await client.callTool('order', { sku: 'abc', quantity: 'two' })).toMatchObject({ isError: true });
    expect(await client.readResource('products://x')).toMatchObject({ contents: [{ text: 'product x' }] });
    expect(await client.getPrompt('recommend', { category: 'toys' })).toMatchObject({
      messages: [{ content: { text: 'Recommend toys' } }],
    });
  });

  test('makes request-scoped and transient services for each call, with the request', async () => {
    let made = 0;

    @Injectable({ scope: Scope.REQUEST })
    class Caller {
      readonly number = ++made;
      constructor(@Inject(REQUEST) readonly request: HttpRequest) {}
    }

    @Injectable()
    class Greeter {
      constructor(
        private readonly caller: Caller,
        private readonly again: Caller,
      ) {}

      @Tool()
      greet(): string {
        const { headers, user } = this.caller.request;
        return `${headers['x-name']} ${(user as { role: string }).role} ${this.caller === this.again}`;
      }
    }

    const nest = await make(
      Test.createTestingModule({ imports: [SigilModule.forRoot(NAMED)], providers: [Greeter, Caller] }),
    );
    const options = { headers: { 'X-Name': 'Ada' }, principal: { id: '1', claims: { role: 'admin' } } };
    const client = await clientOf(nest, options);
    expect(textOf(await client.callTool('greet'))).toBe('Ada admin true');
    expect(textOf(await client.callTool('greet'))).toBe('Ada admin true');
    expect(made).toBe(2);
  });
});
