import { describe, expect, test } from '@jest/globals';
import {
  Body,
  Catch,
  createParamDecorator,
  type CanActivate,
  Headers,
  Injectable,
  Module,
  ParseIntPipe,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Arg, DefinitionError, type Guard, Service, Tool, UseGuards as UseSigilGuards } from '@sigil/core';
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
  test('with pipes on classes and methods of handlers', async () => {
    @Injectable()
    @UsePipes(new ValidationPipe())
    class Orders {
      @Tool()
      @UsePipes(ParseIntPipe)
      order(@Arg('id') id: string): string {
        return id;
      }
    }
    const fix =
      'leave it out: arguments have been checked by their DTO when interceptors and the handler get them, and what changes them is @Transform of class-transformer';
    expect(await problemsOf({ providers: [Orders] })).toEqual([
      `SIGIL_INVALID_POLICY Orders: @UsePipes(new ValidationPipe()) does not run for handlers of MCP | ${fix}`,
      `SIGIL_INVALID_POLICY Orders.order: @UsePipes(ParseIntPipe) does not run for handlers of MCP | ${fix}`,
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
        'SIGIL_INVALID_POLICY Orders.list: parameter 1 has pipes, which do not run for handlers of MCP: ParseIntPipe | leave them out, and have the decorator give the value as it is needed',
        'SIGIL_INVALID_POLICY Orders.find: parameter 1 has a decorator of @nestjs/common for HTTP requests | take the arguments as a DTO, or import Arg, Param and their like from @sigil/core',
        'SIGIL_INVALID_POLICY Orders.find: parameter 2 has a decorator of @nestjs/common for HTTP requests | take the arguments as a DTO, or import Arg, Param and their like from @sigil/core',
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
      'SIGIL_INVALID_POLICY NestGuard: it is a guard of Nest, and was given to Sigil | import UseGuards from @nestjs/common',
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

  test('with filters that answer HTTP requests', async () => {
    @Catch()
    class Filter extends BaseExceptionFilter {}
    @Injectable()
    @UseFilters(Filter)
    @UseInterceptors({ intercept: (_context, next) => next.handle() })
    class Orders {
      @Tool()
      list(): string {
        return '';
      }
    }
    expect(await problemsOf({ providers: [Orders] })).toEqual([
      'SIGIL_INVALID_POLICY Orders: @UseFilters(Filter): it extends BaseExceptionFilter, which answers HTTP requests | write a filter that returns a value, or throws a ToolError or ProtocolError of @sigil/core',
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
      'SIGIL_INVALID_OPTIONS Orders: @Service says that it has the scope request, and Nest, which makes it, takes it for a singleton | write @Injectable({ scope: Scope.REQUEST }) or @Injectable({ scope: Scope.TRANSIENT }) in place of @Service()',
      'SIGIL_DUPLICATE_PROVIDER Orders: One and Two both provide it, which makes two instances | list it in the providers of one module, and import that module where it is needed',
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
      'SIGIL_INVALID_OPTIONS SigilModule.forRoot({ services }): Nest has this | list classes in the providers of modules: those with handlers are found there',
      'SIGIL_INVALID_OPTIONS SigilModule.forRoot({ http.sse }): its routes are made before | write sse: true beside the path',
      'SIGIL_INVALID_OPTIONS SigilModule.forRoot({ requestGuards }): it must be a list of classes | write requestGuards: [ThrottlerGuard]',
      'SIGIL_INVALID_OPTIONS SigilModule.forRoot({ principal }): http.authorization or http.authenticate says already who it is | leave one of them out',
    ]);
    expect(await problemsOf({ options: { nmae: 'x' } as never })).toEqual([
      expect.stringContaining('createApp({ nmae }): there is no such option') as unknown,
    ]);
  });

  test('with a route that cannot be', () => {
    const route = { name: 'x', version: '1', path: 'no path?', decorators: 7 };
    expect(() => SigilModule.forRoot(route as never)).toThrow(
      /it is no path of an endpoint[\s\S]*it must be a list of decorators of classes/,
    );
  });

  test('with a path that the factory gives', async () => {
    const sigil = SigilModule.forRootAsync({
      useFactory: () => ({ name: 'x', version: '1', path: '/there' }),
    });
    await expect(Test.createTestingModule({ imports: [sigil] }).compile()).rejects.toThrow(
      'give it beside useFactory: forRootAsync({ path, useFactory })',
    );
  });

  test('with the module imported twice, or without options', async () => {
    const more = SigilModule.forRoot({ name: 'other', version: '1.0.0' });
    expect(await problemsOf({ imports: [more] })).toEqual([
      'SIGIL_INVALID_OPTIONS SigilModule: it was imported twice | import it once, in the root module: it serves all modules',
    ]);
    await expect(Test.createTestingModule({ imports: [SigilModule] }).compile()).rejects.toThrow(
      'SigilModule: it was imported without options',
    );
  });
});
