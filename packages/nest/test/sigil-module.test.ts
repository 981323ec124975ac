import { describe, expect, test } from '@jest/globals';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  type OnModuleInit,
  type Provider,
  Scope,
} from '@nestjs/common';
import { ContextIdFactory, type ContextIdStrategy, REQUEST } from '@nestjs/core';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  App,
  Arg,
  Complete,
  defineTool,
  Param,
  Prompt,
  Resource,
  Service,
  Tool,
  ToolContext,
} from '@sigil/core';
import { textOf } from '@sigil/testing';
import { PartialType } from '@nestjs/mapped-types';
import {
  IsInt,
  IsString,
  Validate,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { type HttpRequest, SigilModule } from '../src/index.js';
import { clientOf, closeLater, compile, serve } from './serve.js';

describe('an application of Nest serves', () => {
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

  class Change extends PartialType(Order) {}

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

    @Tool({ description: 'Changes an order' })
    change(change: Change): string {
      return Object.keys(change).join();
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

  test('the handlers of its providers, whose constructors Nest injects', async () => {
    const client = await serve({ imports: [InventoryModule], client: { principal: { id: 'ada' } } });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['count', 'order', 'change']);
    expect(textOf(await client.callTool('count', { sku: 'abc' }))).toBe('3');
    expect(textOf(await client.callTool('order', { sku: 'abc', quantity: 2 }))).toBe('true 2 abc by ada');
    expect(await client.callTool('order', { sku: 'abc', quantity: 'two' })).toMatchObject({ isError: true });
    expect(textOf(await client.callTool('change', { quantity: 2 }))).toBe('quantity');
    expect(await client.readResource('products://x')).toMatchObject({ contents: [{ text: 'product x' }] });
    expect(await client.getPrompt('recommend', { category: 'toys' })).toMatchObject({
      messages: [{ content: { text: 'Recommend toys' } }],
    });
    const completed = await client.complete({ type: 'ref/resource', uri: 'products://{sku}' }, 'sku', 'a');
    expect(completed.values).toEqual(['a-1']);
  });

  test('what a test overrides', async () => {
    const client = await serve({
      imports: [InventoryModule],
      override: (builder) => builder.overrideProvider(Stock).useValue({ count: () => 42 }),
    });
    expect(textOf(await client.callTool('count', { sku: 'abc' }))).toBe('42');
    const replaced = await serve({
      imports: [InventoryModule],
      override: (builder) => builder.overrideProvider(Inventory).useValue({ count: () => 7 }),
    });
    expect(textOf(await replaced.callTool('count', { sku: 'abc' }))).toBe('7');
  });

  test('controllers, values, and what factories and other classes stand for', async () => {
    @Controller('reports')
    class Reports {
      constructor(private readonly stock: Stock) {}

      @Get()
      @Tool()
      report(): string {
        return `${this.stock.count('abcd')} reported`;
      }
    }

    class Clock {
      constructor(private readonly time: string) {}
      @Tool()
      now(): string {
        return this.time;
      }
    }

    @Injectable()
    class Mail {
      @Tool()
      send(): string {
        return `sent ${this instanceof SafeMail}`;
      }
    }

    @Injectable()
    class SafeMail extends Mail {}

    class Factory {
      @Tool()
      produce(): string {
        return 'produced';
      }
    }

    const client = await serve({
      controllers: [Reports],
      providers: [
        Stock,
        { provide: 'CLOCK', useValue: new Clock('noon') },
        { provide: Mail, useClass: SafeMail },
        { provide: Factory, useFactory: () => Promise.resolve(new Factory()) },
        { provide: 'ALIAS', useExisting: Factory },
      ],
    });
    const said = async (name: string): Promise<unknown> => textOf(await client.callTool(name));
    expect(await Promise.all(['report', 'now', 'send', 'produce'].map(said))).toEqual([
      '4 reported',
      'noon',
      'sent true',
      'produced',
    ]);
    expect(await client.listTools()).toHaveLength(4);
  });

  test('classes with @Service() in place of @Injectable(), and definitions without classes', async () => {
    @Service()
    class Plain {
      constructor(private readonly stock: Stock) {}
      @Tool()
      plain(): number {
        return this.stock.count('ab');
      }
    }
    const definitions = [defineTool({ name: 'made', handle: () => 'made' })];
    const client = await serve({ providers: [Plain, Stock], options: { definitions } });
    expect(textOf(await client.callTool('plain'))).toBe('2');
    expect(textOf(await client.callTool('made'))).toBe('made');
  });

  test('constraints that inject, though they are made after the app', async () => {
    @ValidatorConstraint()
    @Injectable()
    class Known implements ValidatorConstraintInterface {
      readonly #skus = ['abc'];
      constructor(private readonly stock: Stock) {}
      validate(sku: unknown): boolean {
        return this.#skus.includes(String(sku)) && this.stock.count('ab') === 2;
      }
      defaultMessage(): string {
        return 'there is no such article';
      }
    }
    class Article {
      @Validate(Known) sku!: string;
    }
    @Injectable()
    class Shop {
      @Tool()
      buy({ sku }: Article): string {
        return sku;
      }
    }
    @Module({ providers: [Known, Stock], exports: [Known] })
    class Rules {}
    const client = await serve({ imports: [Rules], providers: [Shop] });
    expect(textOf(await client.callTool('buy', { sku: 'abc' }))).toBe('abc');
    expect(textOf(await client.callTool('buy', { sku: 'x' }))).toContain('there is no such article');
  });

  test('what services ask of the app that they inject, and of the container in a call', async () => {
    @Injectable()
    class Watcher implements OnModuleInit {
      constructor(private readonly app: App) {}
      onModuleInit(): void {
        this.app.tools.add(defineTool({ name: 'late', handle: () => 'late' }));
      }
      @Tool()
      async stock(ctx: ToolContext): Promise<number> {
        return (await ctx.resolve(Stock)).count('abc');
      }
    }
    const nest = await compile({ providers: [Watcher, Stock] });
    await nest.init();
    const client = await clientOf(nest);
    expect(textOf(await client.callTool('late'))).toBe('late');
    expect(textOf(await client.callTool('stock'))).toBe('3');
    expect(await nest.get(App).get(Stock)).toBe(nest.get(Stock));
  });
});

describe('what is provided under an alias', () => {
  abstract class Counter {
    abstract count(): string;
  }

  @Injectable()
  class Shop extends Counter {
    #calls = 0;
    @Tool()
    count(): string {
      return `${this.constructor.name} ${++this.#calls}`;
    }
  }

  @Injectable()
  class BigShop extends Shop {}

  async function countsOf(nest: TestingModule): Promise<string[]> {
    const client = await clientOf(nest);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['count']);
    return [String(textOf(await client.callTool('count'))), String(textOf(await client.callTool('count')))];
  }

  test.each<[string, Provider[]]>([
    ['an abstract class', [Shop, { provide: Counter, useExisting: Shop }]],
    [
      'names, before what they stand for',
      [{ provide: 'A', useExisting: 'B' }, { provide: 'B', useExisting: Shop }, Shop],
    ],
    ['a class with the same handlers', [{ provide: Shop, useExisting: BigShop }, BigShop]],
    [
      'its own class, for a factory',
      [
        { provide: 'SHOP', useFactory: () => new Shop() },
        { provide: Shop, useExisting: 'SHOP' },
      ],
    ],
    [
      'its own class and others, for a factory that takes its time',
      [
        { provide: Counter, useExisting: Shop },
        { provide: Shop, useExisting: 'ALIAS' },
        { provide: 'ALIAS', useExisting: 'SHOP' },
        { provide: 'SHOP', useFactory: async () => Promise.resolve(new Shop()) },
      ],
    ],
    [
      'its own class and the one that it extends, for a factory',
      [
        { provide: 'SHOP', useFactory: () => new BigShop() },
        { provide: Shop, useExisting: 'SHOP' },
        { provide: BigShop, useExisting: 'SHOP' },
      ],
    ],
    [
      'its own class, for a value',
      [
        { provide: 'SHOP', useValue: new Shop() },
        { provide: Shop, useExisting: 'SHOP' },
      ],
    ],
  ])('is served once, by the instance of Nest: under %s', async (_what, providers) => {
    const nest = await compile({ providers });
    const { name } = nest.get(Shop, { strict: false }).constructor;
    expect(await countsOf(nest)).toEqual([`${name} 1`, `${name} 2`]);
    expect(nest.get(Shop, { strict: false }).count()).toBe(`${name} 3`);
  });

  test('is served once where another module has the alias', async () => {
    @Module({ providers: [BigShop], exports: [BigShop] })
    class ShopModule {}
    @Module({ imports: [ShopModule], providers: [{ provide: Shop, useExisting: BigShop }], exports: [Shop] })
    class AliasModule {}
    const nest = await compile({ imports: [AliasModule, ShopModule] });
    expect(await countsOf(nest)).toEqual(['BigShop 1', 'BigShop 2']);
    expect(nest.get(Shop, { strict: false }).count()).toBe('BigShop 3');
  });

  test('is made for each call where its scope says so', async () => {
    const made: Shop[] = [];
    const nest = await compile({
      providers: [
        { provide: 'SHOP', scope: Scope.REQUEST, useFactory: () => made[made.push(new Shop()) - 1] },
        { provide: Shop, useExisting: 'SHOP' },
      ],
    });
    expect(await countsOf(nest)).toEqual(['Shop 1', 'Shop 1']);
    expect(made).toHaveLength(2);
  });
});

describe('the options of a module', () => {
  test('come from a factory that injects, such as what @nestjs/config has', async () => {
    const sigil = SigilModule.forRootAsync({
      imports: [ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => ({ NAME: 'configured' })] })],
      inject: [ConfigService],
      useFactory: (config: ConfigService) =>
        Promise.resolve({ name: config.getOrThrow<string>('NAME'), version: '2.0.0' }),
    });
    const nest = await Test.createTestingModule({ imports: [sigil] }).compile();
    closeLater(() => nest.close());
    const client = await clientOf(nest, { revision: '2025-11-25' });
    expect(client.server?.serverInfo).toMatchObject({ name: 'configured', version: '2.0.0' });
  });
});

describe('scopes of Nest', () => {
  test('have request-scoped services made for each call, with the request', async () => {
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
        return `${String(headers['x-name'])} ${(user as { role: string }).role} ${this.caller === this.again}`;
      }
    }

    const principal = { id: '1', claims: { role: 'admin' } };
    const client = await serve({
      providers: [Greeter, Caller],
      client: { headers: { 'X-Name': 'Ada' }, principal },
    });
    expect(textOf(await client.callTool('greet'))).toBe('Ada admin true');
    expect(textOf(await client.callTool('greet'))).toBe('Ada admin true');
    expect(made).toBe(2);
  });

  test('have transient services made for each call', async () => {
    let made = 0;
    @Injectable({ scope: Scope.TRANSIENT })
    class Counter {
      readonly number = ++made;
      @Tool()
      count(): number {
        return this.number;
      }
    }
    const client = await serve({ providers: [Counter] });
    const [first, second] = [await client.callTool('count'), await client.callTool('count')];
    expect(Number(textOf(second))).toBe(Number(textOf(first)) + 1);
  });

  test('share what is durable among the calls of a tenant', async () => {
    const ids = new Map<string, ReturnType<typeof ContextIdFactory.create>>();
    const byTenant: ContextIdStrategy<HttpRequest> = {
      attach(contextId, { headers }) {
        const tenant = String(headers['x-tenant']);
        const id = ids.get(tenant) ?? ContextIdFactory.create();
        ids.set(tenant, id);
        return {
          resolve: ({ isTreeDurable }) => (isTreeDurable ? id : contextId),
          payload: { tenant },
        };
      },
    };
    @Injectable({ scope: Scope.REQUEST, durable: true })
    class Counter {
      #calls = 0;
      constructor(@Inject(REQUEST) private readonly request: { readonly tenant: string }) {}
      @Tool()
      count(): string {
        this.#calls += 1;
        return `${this.request.tenant} ${this.#calls}`;
      }
    }
    ContextIdFactory.apply(byTenant);
    try {
      const nest = await compile({ providers: [Counter] });
      const north = await clientOf(nest, { headers: { 'X-Tenant': 'north' } });
      const south = await clientOf(nest, { headers: { 'X-Tenant': 'south' } });
      const said = [north, north, south].map(async (client) => textOf(await client.callTool('count')));
      expect((await Promise.all(said)).sort()).toEqual(['north 1', 'north 2', 'south 1']);
    } finally {
      ContextIdFactory.apply(undefined as never);
    }
  });

  test('fail a call, and nothing else, when a service cannot be made', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Broken {
      constructor() {
        throw new Error('the database is away');
      }
      @Tool()
      fail(): string {
        return 'made';
      }
    }
    @Injectable()
    class Fine {
      @Tool()
      work(): string {
        return 'works';
      }
    }
    const logged: unknown[] = [];
    const quiet = (): void => undefined;
    const error = (details: unknown): void => void logged.push(details);
    const client = await serve({
      providers: [Broken, Fine],
      options: { logger: { debug: quiet, info: quiet, warn: quiet, error } },
    });
    expect(await client.callTool('fail')).toMatchObject({
      isError: true,
      content: [{ text: 'Internal error' }],
    });
    expect(logged).toMatchObject([{ err: { message: 'the database is away' } }]);
    expect(textOf(await client.callTool('work'))).toBe('works');
  });
});
