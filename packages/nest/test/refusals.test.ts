import { describe, expect, test } from '@jest/globals';
import {
  Body,
  type CallHandler,
  Catch,
  createParamDecorator,
  type ExceptionFilter,
  type CanActivate,
  Headers,
  Injectable,
  Module,
  type NestInterceptor,
  ParseIntPipe,
  type PipeTransform,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Arg, DefinitionError, type Guard, Service, Tool, UseGuards as UseSigilGuards } from '@sigil/core';
import type { Observable } from 'rxjs';
import { SigilModule } from '../src/index.js';
import { compile, type Serving } from './serve.js';

async function problemsOf(serving: Serving): Promise<readonly string[]> {
  const error = await compile(serving).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof DefinitionError)) throw new Error('it starts', { cause: error });
  return error.problems.map(({ code, where, what, fix }) => `${code} ${where}: ${what} | ${fix}`);
}

describe('an application does not start', () => {
  test('with ValidationPipe on classes and methods of handlers, and with pipes that no module provides', async () => {
    class Checks extends ValidationPipe {}
    class Late implements PipeTransform {
      transform(value: unknown): unknown {
        return value;
      }
    }
    @Injectable()
    @UsePipes(new ValidationPipe())
    class Orders {
      @Tool()
      @UsePipes(ParseIntPipe, Checks)
      order(@Arg('id') id: string): string {
        return id;
      }
    }
    const what =
      'it does not run for handlers of MCP, because their DTO has already validated the arguments | remove it; if routes of the class need it, put it on these routes, or make it global';
    expect(await problemsOf({ providers: [Orders] })).toEqual([
      `SIGIL_INVALID_POLICY Orders: @UsePipes(new ValidationPipe()): ${what}`,
      `SIGIL_INVALID_POLICY Orders.order: @UsePipes(Checks): ${what}`,
    ]);
    @UsePipes(Late)
    class Made {
      @Tool()
      order(@Arg('id') id: string): string {
        return id;
      }
    }
    expect(await problemsOf({ providers: [{ provide: Made, useFactory: () => new Made() }] })).toEqual([
      'SIGIL_INVALID_POLICY Made: @UsePipes(Late): no module of the Nest application provides it | list Late in the providers of the module of Made',
    ]);
  });

  test('with parameter decorators for HTTP, and with pipes in those of its own', async () => {
    const Page = createParamDecorator(() => '1');
    @Injectable()
    class Orders {
      @Tool()
      list(@Arg('x') x: string, @Page(ParseIntPipe) page: number): string {
        return `${x} ${page}`;
      }

      @Tool()
      find(@Arg('id') id: string, @Headers('x-tenant') tenant: string, @Body() body: object): string {
        return `${id} ${tenant} ${typeof body}`;
      }
    }
    const problems = await problemsOf({ providers: [Orders] });
    expect(problems).toEqual(
      expect.arrayContaining([
        'SIGIL_INVALID_POLICY Orders.list: parameter 1 has pipes, which do not run for handlers of MCP: ParseIntPipe | remove the pipes, and let the decorator return the final value',
        'SIGIL_INVALID_POLICY Orders.find: parameter 1 has a decorator of @nestjs/common for HTTP requests | use a DTO for the arguments, or import Arg, Param and similar decorators from @sigil/core',
        'SIGIL_INVALID_POLICY Orders.find: parameter 2 has a decorator of @nestjs/common for HTTP requests | use a DTO for the arguments, or import Arg, Param and similar decorators from @sigil/core',
      ]),
    );
  });

  test('with guards of one framework in the decorator of the other', async () => {
    @Injectable()
    class NestGuard implements CanActivate {
      canActivate(): boolean {
        return true;
      }
    }
    @Injectable()
    class SigilGuard implements Guard {
      allows(): boolean {
        return true;
      }
    }
    @Injectable()
    @UseSigilGuards(NestGuard as never)
    class Orders {
      @Tool()
      @UseGuards(SigilGuard as never)
      list(): string {
        return '';
      }
    }
    expect(await problemsOf({ providers: [Orders, NestGuard, SigilGuard] })).toEqual([
      'SIGIL_INVALID_POLICY Orders.list: @UseGuards(SigilGuard): it is a guard of Sigil | import UseGuards from @sigil/core',
      'SIGIL_INVALID_POLICY NestGuard: it is a guard of Nest, but is used as a guard of Sigil | import UseGuards from @nestjs/common',
    ]);
  });

  test('with guards of Sigil that no module provides', async () => {
    class Unknown implements Guard {
      allows(): boolean {
        return true;
      }
    }
    @Injectable()
    @UseSigilGuards(Unknown)
    class Orders {
      @Tool()
      list(): string {
        return '';
      }
    }
    expect(await problemsOf({ providers: [Orders] })).toEqual([
      'SIGIL_UNRESOLVABLE Unknown: no module of the Nest application provides it | write @Injectable() on it, and list it in the providers of a module',
    ]);
  });

  test.each([
    ['Filter', (filter: new () => ExceptionFilter) => filter],
    ['new Filter()', (filter: new () => ExceptionFilter) => new filter()],
  ])('with filters that answer HTTP requests: %s', async (shown, filterOf) => {
    @Catch()
    class Filter extends BaseExceptionFilter {}
    @Injectable()
    @UseFilters(filterOf(Filter))
    @UseInterceptors({ intercept: (_context, next) => next.handle() })
    class Orders {
      @Tool()
      list(): string {
        return '';
      }
    }
    expect(await problemsOf({ providers: [Orders] })).toEqual([
      `SIGIL_INVALID_POLICY Orders: @UseFilters(${shown}): it extends BaseExceptionFilter, which answers HTTP requests | write a filter that returns a value, or throws a ToolError or ProtocolError of @sigil/core`,
    ]);
  });

  test('with a class that two modules provide, and with a scope that is not of Nest', async () => {
    @Service({ scope: 'request' })
    class Orders {
      @Tool()
      list(): string {
        return '';
      }
    }
    @Module({ providers: [Orders] })
    class One {}
    @Module({ providers: [Orders] })
    class Two {}
    expect(await problemsOf({ imports: [One, Two] })).toEqual([
      'SIGIL_INVALID_OPTIONS Orders: @Service gives the class the scope request, but Nest creates it as a singleton | write @Injectable({ scope: Scope.REQUEST }) or @Injectable({ scope: Scope.TRANSIENT }) in place of @Service()',
      'SIGIL_DUPLICATE_PROVIDER Orders: One and Two both list the class as a provider, so Nest creates two instances | provide it in one module, and import that module where it is needed',
    ]);
  });

  test('with mistakes in definitions, all at once', async () => {
    @Injectable()
    class Orders {
      @Tool({ name: 'not a name' })
      first(): string {
        return '';
      }
      @Tool({ name: 'second' })
      second(): string {
        return '';
      }
      @Tool({ name: 'second' })
      third(): string {
        return '';
      }
    }
    expect(await problemsOf({ providers: [Orders] })).toHaveLength(2);
  });

  test('with options that are wrong', async () => {
    const options = {
      services: [],
      requestGuards: [{}],
      principal: () => undefined,
      http: { authenticate: () => undefined, sse: true },
    };
    expect(await problemsOf({ options: options as never })).toEqual([
      'SIGIL_INVALID_OPTIONS SigilModule.forRoot({ services }): this option is not for Nest applications | list the classes in the providers of Nest modules, where SigilModule finds the classes with handlers',
      'SIGIL_INVALID_OPTIONS SigilModule.forRoot({ http.sse }): the routes of HTTP+SSE are created before these options are known | write sse: true next to the path',
      'SIGIL_INVALID_OPTIONS SigilModule.forRoot({ requestGuards }): it must be a list of classes | write requestGuards: [ThrottlerGuard]',
      'SIGIL_INVALID_OPTIONS SigilModule.forRoot({ principal }): http.authorization or http.authenticate already determines the principal | remove one of them',
    ]);
  });

  test('with options that there are not, in words of the function that takes them', async () => {
    const [problem, ...others] = await problemsOf({ options: { paht: '/x' } as never });
    expect(problem).toContain(
      'SigilModule.forRoot({ paht }): this option does not exist; the options are path, ',
    );
    expect(problem).toMatch(/requestGuards, inheritAppConfig \| use one of those$/);
    expect(problem).not.toContain('services');
    expect(others).toEqual([]);
    expect(await problemsOf({ options: { decorator: [] } as never })).toEqual([
      expect.stringMatching(/^SIGIL_INVALID_OPTIONS SigilModule.*\| write decorators$/) as unknown,
    ]);
    expect(await problemsOf({ options: { name: '', timeoutMs: 'long' } as never })).toEqual([
      expect.stringContaining('SigilModule.forRoot({ name }): it must be a string') as unknown,
      expect.stringContaining('SigilModule.forRoot({ timeoutMs }): it must be') as unknown,
    ]);
    expect(() => SigilModule.forRoot(undefined as never)).toThrow('its options must be an object');
    const sigil = SigilModule.forRootAsync({ useFactory: () => ({ nmae: 'x', name: 'x', version: '1' }) });
    await expect(Test.createTestingModule({ imports: [sigil] }).compile()).rejects.toThrow(
      /SigilModule\.forRoot\(\{ nmae \}\): this option does not exist; the options are name, /,
    );
    expect(() => SigilModule.forRootAsync({ useClass: class {} } as never)).toThrow(
      /forRootAsync\(\{ useClass \}\)[\s\S]*forRootAsync\(\{ useFactory \}\): it must be a function/,
    );
  });

  test('with a route that cannot be', () => {
    const route = { name: 'x', version: '1', path: 'no path?', decorators: 7 };
    expect(() => SigilModule.forRoot(route as never)).toThrow(
      /no path\? is not a fixed segment[\s\S]*it must be a list of class decorators/,
    );
  });

  test.each([
    [7, 'it must be a string, not a number'],
    ['', 'it is empty'],
    ['/mcp/', 'it ends with a slash'],
    ['/a//b', 'it has two slashes side by side'],
    ['/:tenant/mcp', ':tenant is not a fixed segment'],
    ['/mcp/*rest', '*rest is not a fixed segment'],
  ])('with the path %p, and says why', (path, why) => {
    expect(() => SigilModule.forRoot({ name: 'x', version: '1', path: path as never })).toThrow(why);
  });

  test('with the class of a guard, interceptor or filter in place of a decorator', () => {
    class JwtGuard implements CanActivate {
      canActivate(): boolean {
        return true;
      }
    }
    class Timing implements NestInterceptor {
      intercept(_context: unknown, next: CallHandler): Observable<unknown> {
        return next.handle();
      }
    }
    @Catch()
    class Filter extends BaseExceptionFilter {}
    const options = { name: 'x', version: '1', decorators: [JwtGuard, Timing, Filter] as never };
    expect(() => SigilModule.forRoot(options)).toThrow(
      /\[UseGuards\(JwtGuard\)\][\s\S]*\[UseInterceptors\(Timing\)\][\s\S]*\[UseFilters\(Filter\)\]/,
    );
    expect(() =>
      SigilModule.forRoot({ name: 'x', version: '1', decorators: [UseGuards(JwtGuard)] }),
    ).not.toThrow();
  });

  test('with a path that the factory gives', async () => {
    const sigil = SigilModule.forRootAsync({
      useFactory: () => ({ name: 'x', version: '1', path: '/there' }),
    });
    await expect(Test.createTestingModule({ imports: [sigil] }).compile()).rejects.toThrow(
      'set it next to useFactory: forRootAsync({ path, useFactory })',
    );
  });

  test('with the module imported without options', async () => {
    await expect(Test.createTestingModule({ imports: [SigilModule] }).compile()).rejects.toThrow(
      'SigilModule: it was imported without options',
    );
  });

  test('with an authorization that authorizes nothing', async () => {
    const nest = await compile({ options: { http: { authorization: (() => undefined) as never } } });
    const started = nest.createNestApplication({ logger: false }).init();
    await expect(started).rejects.toThrow(DefinitionError);
    await expect(started).rejects.toThrow('must synchronously return an authorizer:');
  });
});
