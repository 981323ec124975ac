import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { pack } from '../../publishing/packages.js';
import { Calls } from '../calls.js';
import { v1, v2Auto } from '../clients.js';
import { endProcesses, ServerProcess, until } from '../processes.js';

const LONG_MS = 180_000;
const run = promisify(execFile);

/** An application as `nest new` makes it: CommonJS, and decorators that emit metadata. */
const PROGRAM = `
import 'reflect-metadata';
import {
  type CallHandler, Catch, type CanActivate, type ExecutionContext, type ExceptionFilter, Inject, Injectable, Module,
  type NestInterceptor, ParseIntPipe, Scope, SetMetadata, UseFilters, UseGuards, UseInterceptors, UsePipes,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, NestFactory, Reflector, REQUEST } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { App, Arg, Resource, Tool, ToolContext } from '@sigil/core';
import { getAppToken, InjectApp, SigilModule } from '@sigil/nest';
import { IsInt, Min } from 'class-validator';
import { map } from 'rxjs';

class Order {
  @IsInt()
  @Min(1)
  quantity!: number;
}

@Injectable({ scope: Scope.REQUEST })
class Caller {
  readonly name: string;
  constructor(@Inject(REQUEST) request: { headers: Record<string, string> }) {
    this.name = request.headers['x-name'] ?? 'a guest';
  }
}

@Injectable()
class HiddenGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}
  canActivate(context: ExecutionContext): boolean {
    return !this.reflector.get('hidden', context.getHandler());
  }
}

@Injectable({ scope: Scope.REQUEST })
class ScopedGuard implements CanActivate {
  constructor(private readonly caller: Caller) {}
  canActivate(): boolean {
    return this.caller.name !== 'Eve';
  }
}

@Injectable()
class Shout implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(map((said: string) => said.toUpperCase()));
  }
}

@Catch(RangeError)
class RangeFilter implements ExceptionFilter {
  catch(error: RangeError): string {
    return 'caught ' + error.message;
  }
}

@Injectable()
@UseGuards(ScopedGuard)
class Shop {
  constructor(private readonly caller: Caller) {}

  @Tool({ description: 'Orders' })
  @UseInterceptors(Shout)
  order(order: Order, ctx: ToolContext): string {
    ctx.progress(1);
    return order.quantity + ' for ' + this.caller.name;
  }

  @Tool()
  @UseFilters(RangeFilter)
  fail(@Arg('text') text: string): string {
    throw new RangeError(text);
  }

  @Tool()
  @SetMetadata('hidden', true)
  hidden(): string {
    return 'hidden';
  }

  @Resource('shop://hours')
  hours(): string {
    return '9 to 5';
  }
}

@Module({ providers: [Shop, Caller, { provide: APP_GUARD, useClass: HiddenGuard }] })
class ShopModule {}

@Injectable()
class Office {
  constructor(@InjectApp('shop') private readonly shop: App) {}

  @Tool()
  @UsePipes(ParseIntPipe)
  close(@Arg('day') day: string): string {
    return 'the shop is closed on day ' + (Number.isInteger(day) && this.shop.tools.remove('order') ? day : 'none');
  }
}

@Injectable()
class Loud implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    return context.getType<string>() === 'mcp' ? next.handle().pipe(map((said) => said + '!')) : next.handle();
  }
}

@Module({ providers: [Office, { provide: APP_INTERCEPTOR, useClass: Loud }] })
class OfficeModule {}

@Module({
  imports: [
    ShopModule,
    OfficeModule,
    SigilModule.forRoot({ name: 'shop', version: '1.0.0', include: [ShopModule] }),
    SigilModule.forRoot({
      name: 'office', version: '1.0.0', path: '/office', include: [OfficeModule], inheritAppConfig: true,
    }),
  ],
})
class AppModule {}

async function main(): Promise<void> {
  const adapter = process.argv[2] === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
  const nest = await NestFactory.create(AppModule, adapter as never, { forceCloseConnections: true });
  nest.setGlobalPrefix('api');
  nest.enableShutdownHooks();
  await nest.listen(0, '127.0.0.1');
  if (!(nest.get(getAppToken('shop')) instanceof App)) throw new Error('there is no app');
  console.error('Listens on ' + (await nest.getUrl()) + '/api/mcp');
}
void main();
`;

describe.each(['10', '11'])('SigilModule in a project with Nest %s', (version) => {
  const project = realpathSync(mkdtempSync(join(tmpdir(), `sigil-nest-${version}-`)));

  beforeAll(async () => {
    mkdirSync(join(project, 'packages'));
    const tarballs = ['core', 'node', 'http', 'nest'].map(async (name) => [
      `@sigil/${name}`,
      `file:${(await pack(join('packages', name), join(project, 'packages'))).path}`,
    ]);
    const nest = ['common', 'core', 'platform-express', 'platform-fastify'].map((name) => [
      `@nestjs/${name}`,
      `^${version}.0.0`,
    ]);
    const libraries = ['class-transformer', 'class-validator', 'reflect-metadata', 'rxjs', 'typedi'];
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const dependencies = Object.fromEntries([
      ...(await Promise.all(tarballs)),
      ...nest,
      ...libraries.map((name) => [name, devDependencies[name]]),
    ]) as object;
    writeFileSync(
      join(project, 'package.json'),
      JSON.stringify({ name: 'shop', private: true, dependencies }),
    );
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: project });
    const compilerOptions = {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    };
    const { outputText } = ts.transpileModule(PROGRAM, { compilerOptions, fileName: 'main.ts' });
    writeFileSync(join(project, 'main.js'), outputText);
  }, LONG_MS);

  afterEach(endProcesses);
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  test('finds that version, and no other', () => {
    const { version: installed } = JSON.parse(
      readFileSync(join(project, 'node_modules/@nestjs/core/package.json'), 'utf8'),
    ) as { version: string };
    expect(installed.split('.')[0]).toBe(version);
  });

  test.each(['express', 'fastify'])('serves official clients on %s', async (platform) => {
    const server = new ServerProcess(join(project, 'main.js'), [platform], {}, project);
    await until(() => {
      if (server.child.exitCode !== null) throw new Error(server.stderr + server.stdout);
      return server.stderr.includes('Listens on ');
    }, 20_000);
    const [, address = ''] = /Listens on (\S+)/.exec(server.stderr) ?? [];
    for (const kind of [v1('2025-11-25'), v2Auto]) {
      const { client } = await kind.connect({ address });
      const calls = new Calls(client);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['order', 'fail']);
      expect(await calls.text('order', { quantity: 2 })).toBe('2 FOR A GUEST');
      expect((await calls.tool('order', { quantity: 0 })).isError).toBe(true);
      expect(await calls.text('fail', { text: 'it' })).toBe('caught it');
      expect(await client.readResource({ uri: 'shop://hours' })).toMatchObject({
        contents: [{ text: '9 to 5' }],
      });
      await client.close();
    }
    const office = await v2Auto.connect({ address: new URL('/api/office', address).href });
    expect(await new Calls(office.client).text('close', { day: '7' })).toBe('the shop is closed on day 7!');
    await office.client.close();
    const eve = await fetch(address, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/list',
        'X-Name': 'Eve',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    expect(await eve.json()).toMatchObject({ result: { tools: [] } });
    server.child.kill('SIGTERM');
    expect((await server.ended).signal).toBe('SIGTERM');
  });
});
