import { describe, expect, test } from '@jest/globals';
import { Inject, Injectable, Module, type ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { App, defineTool, Tool } from '@sigil/core';
import { connect, textOf, type TestClient } from '@sigil/testing';
import { getAppToken, InjectApp, SigilModule } from '../src/index.js';
import { closeLater, keepingLogger } from './serve.js';

@Injectable()
class Stock {
  pieces = 3;
}

@Injectable()
class Shop {
  constructor(private readonly stock: Stock) {}
  @Tool()
  count(): number {
    return this.stock.pieces;
  }
}

@Module({ providers: [Shop, Stock], exports: [Stock] })
class ShopModule {}

@Injectable()
class Administration {
  constructor(private readonly stock: Stock) {}
  @Tool()
  empty(): string {
    this.stock.pieces = 0;
    return 'emptied';
  }
}

@Module({ imports: [ShopModule], providers: [Administration] })
class AdministrationModule {}

const shop = { name: 'shop', version: '1.0.0', include: [ShopModule] };
const administration = {
  name: 'administration',
  version: '2.0.0',
  path: '/admin/mcp',
  include: [AdministrationModule],
};

async function compile(metadata: ModuleMetadata): Promise<TestingModule> {
  const nest = await Test.createTestingModule(metadata).compile();
  closeLater(() => nest.close());
  return nest;
}

async function clientOf(nest: TestingModule, name: string): Promise<TestClient> {
  const client = await connect(nest.get<App>(getAppToken(name)), { revision: '2025-11-25' });
  closeLater(() => client.close());
  return client;
}

const toolsOf = async (client: TestClient): Promise<string[]> =>
  (await client.listTools()).map(({ name }) => name);

describe('several servers in one application', () => {
  test('serve the handlers of their modules, and share what those share', async () => {
    const nest = await compile({
      imports: [
        ShopModule,
        AdministrationModule,
        SigilModule.forRoot(shop),
        SigilModule.forRoot(administration),
      ],
    });
    const [buyer, clerk] = [await clientOf(nest, 'shop'), await clientOf(nest, 'administration')];
    expect([buyer.server?.serverInfo.version, clerk.server?.serverInfo.version]).toEqual(['1.0.0', '2.0.0']);
    expect([await toolsOf(buyer), await toolsOf(clerk)]).toEqual([['count'], ['empty']]);
    await clerk.callTool('empty');
    expect(textOf(await buyer.callTool('count'))).toBe('0');
    await expect(buyer.callTool('empty')).rejects.toThrow('Unknown tool');
  });

  test('are injected by their names, also those whose options come from a factory', async () => {
    @Injectable()
    class Later {
      constructor(
        @InjectApp('shop') readonly shop: App,
        @Inject(getAppToken('administration')) readonly administration: App,
      ) {
        shop.tools.add(defineTool({ name: 'late', handle: () => 'late' }));
      }
    }
    const { name, path, include, version } = administration;
    const later = SigilModule.forRootAsync({ name, path, include, useFactory: () => ({ version }) });
    const nest = await compile({
      imports: [ShopModule, AdministrationModule, SigilModule.forRoot(shop), later],
      providers: [Later],
    });
    expect(await toolsOf(await clientOf(nest, 'shop'))).toEqual(['count', 'late']);
    const clerk = await clientOf(nest, 'administration');
    expect([clerk.server?.serverInfo.name, await toolsOf(clerk)]).toEqual(['administration', ['empty']]);
    expect(nest.get(Later).administration).toBe(nest.get(getAppToken('administration')));
    expect(() => nest.get(App)).toThrow();
  });

  test('may both include a module, and each has its own instance of a class that both have', async () => {
    @Module({ providers: [Shop, Stock] })
    class OtherShopModule {}
    const both = { ...administration, include: [AdministrationModule, OtherShopModule] };
    const nest = await compile({
      imports: [
        ShopModule,
        AdministrationModule,
        OtherShopModule,
        SigilModule.forRoot(shop),
        SigilModule.forRoot(both),
        SigilModule.forRoot({ ...shop, name: 'again', path: '/again' }),
      ],
    });
    const clerk = await clientOf(nest, 'administration');
    expect(await toolsOf(clerk)).toEqual(['empty', 'count']);
    await clerk.callTool('empty');
    const counted = ['shop', 'again', 'administration'].map(async (name) =>
      textOf(await (await clientOf(nest, name)).callTool('count')),
    );
    expect(await Promise.all(counted)).toEqual(['0', '0', '3']);
  });

  test('leave out handlers of modules that none includes, and warn', async () => {
    const logger = keepingLogger();
    const nest = await compile({
      imports: [ShopModule, AdministrationModule, SigilModule.forRoot({ ...shop, logger })],
    });
    expect(await toolsOf(await clientOf(nest, 'shop'))).toEqual(['count']);
    const warning =
      'Administration of AdministrationModule has handlers, but no server includes its module: list the module in SigilModule.forRoot({ include }) of a server';
    expect(logger.lines).toEqual([[warning, warning]]);
  });
});

test('the server of a whole application is injected by its name, too', async () => {
  const nest = await compile({ imports: [ShopModule, SigilModule.forRoot({ name: 'shop', version: '1' })] });
  expect(nest.get(getAppToken('shop'))).toBe(nest.get(App));
});

describe('an application does not start', () => {
  const refusal = (...servers: Parameters<typeof SigilModule.forRoot>[0][]): Promise<unknown> =>
    compile({
      imports: [ShopModule, AdministrationModule, ...servers.map((one) => SigilModule.forRoot(one))],
    });

  test.each([
    ['/mcp', 'mcp'],
    ['/mcp/sse', '/mcp'],
    ['/messages', '/'],
  ])('with servers at the same path: %s and %s', async (path, other) => {
    await expect(refusal({ ...shop, path: other, sse: true }, { ...administration, path })).rejects.toThrow(
      /forRoot\(\{ path \}\): shop and administration are both at \/\S* *\n.*give each server its own path, for example path:/,
    );
  });

  test('with servers of the same name', async () => {
    await expect(refusal(shop, { ...administration, name: 'shop' })).rejects.toThrow(
      'two servers have the name shop',
    );
  });

  test('with several servers of which one does not say what it serves', async () => {
    const { include: _include, ...whole } = shop;
    await expect(refusal(administration, whole)).rejects.toThrow(
      /include \}\): the application has 2 servers, but shop does not list its modules/,
    );
  });

  test('with modules to include that are none, or not there', async () => {
    class Elsewhere {}
    await expect(refusal({ ...shop, include: [Elsewhere] })).rejects.toThrow(
      'Elsewhere is not a module of the application',
    );
    expect(() => SigilModule.forRoot({ ...shop, include: [{}] as never })).toThrow(
      'it must be a list of module classes',
    );
    const nameless = { include: [ShopModule], useFactory: () => shop };
    expect(() => SigilModule.forRootAsync(nameless)).toThrow('also set the name next to useFactory');
  });
});
