import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  HttpException,
  Injectable,
  Scope,
  SetMetadata,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import {
  App,
  Arg,
  Complete,
  type Guard,
  type GuardContext,
  Limit,
  Param,
  Prompt,
  type RequestContext,
  Resource,
  Tool,
  UseGuards as UseSigilGuards,
} from '@sigil/core';
import { explain } from '@sigil/core/manifest';
import { textOf } from '@sigil/testing';
import { delay, EMPTY, of } from 'rxjs';
import type { HttpRequest } from '../src/index.js';
import { clientOf, compile, keepingLogger, refuse, serve } from './serve.js';

const Roles = (...roles: string[]) => SetMetadata('roles', roles);

@Injectable()
class Directory {
  rolesOf(user: unknown): readonly string[] {
    return ((user as { roles?: string[] } | undefined)?.roles ?? []).map(String);
  }
}

@Injectable()
class RolesGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly directory: Directory,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const places = [context.getHandler(), context.getClass()];
    const needed = this.reflector.getAllAndOverride<string[] | undefined>('roles', places) ?? [];
    const held = this.directory.rolesOf(context.switchToHttp().getRequest<HttpRequest>().user);
    return needed.every((role) => held.includes(role));
  }
}

const ADMIN = { principal: { id: 'ada', claims: { roles: ['admin'] } } };

describe('a guard of Nest', () => {
  @Injectable()
  @UseGuards(RolesGuard)
  class Payroll {
    @Tool()
    read(): string {
      return 'read';
    }

    @Tool()
    @Roles('admin')
    raise(): string {
      return 'raised';
    }

    @Resource('salaries://{name}')
    @Roles('admin')
    salary(@Param('name') name: string): string {
      return `${name} earns 100`;
    }

    @Complete('salaries://{name}', 'name')
    names(): string[] {
      return ['ada'];
    }

    @Prompt()
    @Roles('admin')
    review(): string {
      return 'Review';
    }
  }

  test('decides who sees and uses tools, resources, prompts and completions', async () => {
    const nest = await compile({ providers: [Payroll, Directory] });
    const [guest, admin] = [await clientOf(nest), await clientOf(nest, ADMIN)];
    const ref = { type: 'ref/resource', uri: 'salaries://{name}' } as const;
    expect((await guest.listTools()).map(({ name }) => name)).toEqual(['read']);
    expect(await guest.listPrompts()).toEqual([]);
    expect(await guest.listResourceTemplates()).toEqual([]);
    await expect(guest.callTool('raise')).rejects.toThrow('Unknown tool');
    await expect(guest.readResource('salaries://bob')).rejects.toThrow('Resource not found');
    await expect(guest.complete(ref, 'name', '')).rejects.toThrow();
    expect((await admin.listTools()).map(({ name }) => name)).toEqual(['read', 'raise']);
    expect(textOf(await admin.callTool('raise'))).toBe('raised');
    expect(await admin.readResource('salaries://bob')).toMatchObject({
      contents: [{ text: 'bob earns 100' }],
    });
    expect((await admin.complete(ref, 'name', '')).values).toEqual(['ada']);
  });

  test('decides as a global guard too, and as one that a test overrides', async () => {
    const nest = await compile({
      providers: [Directory, Payroll, { provide: APP_GUARD, useClass: RolesGuard }],
      override: (builder) => builder.overrideGuard(RolesGuard).useValue({ canActivate: () => true }),
    });
    const guest = await clientOf(nest);
    expect((await guest.listTools()).map(({ name }) => name)).toEqual(['read']);
  });

  test('is named where the app explains itself', async () => {
    const nest = await compile({ providers: [Payroll, Directory] });
    const explained = await explain(nest.get(App), 'raise');
    expect(JSON.stringify(explained)).toContain('RolesGuard');
  });

  /** Has a guard refuse a tool, and gives what the log tells. */
  const refusing = async (guard: CanActivate): Promise<readonly unknown[]> => {
    @Injectable()
    @UseGuards(guard)
    class Secret {
      @Tool()
      tell(): string {
        return 'told';
      }
    }
    const logger = keepingLogger();
    const client = await serve({ providers: [Secret], options: { logger } });
    expect(await client.listTools()).toEqual([]);
    await expect(client.callTool('tell')).rejects.toThrow('Unknown tool');
    return logger.lines;
  };

  test.each([
    ['returns false', () => false],
    ['promises false', () => Promise.resolve(false)],
    ['emits false', () => of(false).pipe(delay(1))],
    ['emits nothing', () => EMPTY],
    ['forbids', () => refuse(new ForbiddenException())],
    ['finds no login', () => refuse(new UnauthorizedException())],
  ])('refuses and is no fault when it %s', async (_what, canActivate) => {
    expect(await refusing({ canActivate } as CanActivate)).toEqual([]);
  });

  test('fails the request when it fails, and the log tells', async () => {
    @Injectable()
    @UseGuards({ canActivate: () => refuse(new Error('the directory is down')) })
    class Secret {
      @Tool()
      tell(): string {
        return 'told';
      }
    }
    const logger = keepingLogger();
    const client = await serve({ providers: [Secret], options: { logger } });
    await expect(client.listTools()).rejects.toThrow('Internal error');
    await expect(client.callTool('tell')).rejects.toThrow('Internal error');
    const err = { message: expect.stringContaining('failed: the directory is down') };
    const line = ['a request failed unexpectedly', { err, where: 'Secret.tell' }];
    expect(logger.lines).toMatchObject([line, line]);
  });

  test('refuses when it throws what is about requests, and the log tells once', async () => {
    class Typed implements CanActivate {
      canActivate(): boolean {
        throw new HttpException('Unsupported', 415);
      }
    }
    expect(await refusing(new Typed())).toEqual([
      [
        expect.stringContaining('the guard Typed has thrown an exception with status 415'),
        { kind: 'tool', name: 'tell' },
      ],
    ]);
  });

  test('hides nothing when it says how often, and calls are answered with what it says', async () => {
    class Throttle implements CanActivate {
      canActivate(): boolean {
        throw new HttpException('Too many requests', 429);
      }
    }
    let calls = 0;
    @Injectable()
    class Service {
      @Tool()
      @UseGuards(Throttle)
      first(): number {
        return ++calls;
      }
      @Tool()
      @UseGuards(Throttle, RolesGuard)
      @Roles('admin')
      second(): number {
        return ++calls;
      }
      @Prompt()
      @UseGuards(Throttle)
      third(): string {
        return String(++calls);
      }
    }
    const logger = keepingLogger();
    const client = await serve({ providers: [Service, Directory], options: { logger } });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['first']);
    expect(await client.listPrompts()).toHaveLength(1);
    expect(await client.callTool('first')).toMatchObject({
      isError: true,
      content: [{ text: 'Too many requests' }],
    });
    await expect(client.callTool('second')).rejects.toThrow('Unknown tool');
    await expect(client.getPrompt('third')).rejects.toThrow('Too many requests');
    expect(calls).toBe(0);
    expect(logger.lines).toEqual([
      [
        expect.stringContaining('the guard Throttle has thrown an exception with status 429'),
        { kind: 'tool', name: 'first' },
      ],
    ]);
  });

  test('may use a response where there is none, as in tests and on stdio', async () => {
    @Injectable()
    @UseGuards({
      canActivate(context) {
        const response = context
          .switchToHttp()
          .getResponse<Record<'header' | 'status', (...of: unknown[]) => never>>();
        (response.header('X-RateLimit-Limit', 7) as typeof response).status(200);
        const node = context.switchToHttp().getResponse<ServerResponse>();
        node.setHeader('X-Left', '6');
        return !node.headersSent && node.getHeader('X-Left') === undefined;
      },
    })
    class Service {
      @Tool()
      serve(): string {
        return 'served';
      }
    }
    const client = await serve({ providers: [Service] });
    expect(textOf(await client.callTool('serve'))).toBe('served');
  });

  test('may be request-scoped, also when it is global', async () => {
    let made = 0;
    @Injectable({ scope: Scope.REQUEST })
    class Once implements CanActivate {
      readonly number = ++made;
      canActivate(): boolean {
        return true;
      }
    }
    @Injectable()
    @UseGuards(Once)
    class Service {
      @Tool()
      first(): string {
        return '1';
      }
      @Tool()
      second(): string {
        return '2';
      }
    }
    const client = await serve({
      providers: [Service, { provide: APP_GUARD, scope: Scope.REQUEST, useClass: Once }],
    });
    expect(await client.listTools()).toHaveLength(2);
    // One of the class and one of the application, for all definitions of the list.
    expect(made).toBe(2);
    expect(textOf(await client.callTool('second'))).toBe('2');
    expect(made).toBe(4);
  });

  test('is asked at the endpoint alone when it is about requests', async () => {
    class Throttle implements CanActivate {
      canActivate(): boolean {
        return false;
      }
    }
    @Injectable()
    class Service {
      @Tool()
      serve(): string {
        return 'served';
      }
    }
    const client = await serve({
      providers: [Service, { provide: APP_GUARD, useClass: Throttle }],
      options: { requestGuards: [Throttle] },
    });
    expect(textOf(await client.callTool('serve'))).toBe('served');
  });

  test('gets to know the call as a context of execution', async () => {
    const seen: unknown[] = [];
    const look = (context: ExecutionContext): boolean => {
      const rpc = context.switchToRpc();
      const { definition } = rpc.getContext<GuardContext>();
      seen.push([context.getType(), context.getClass().name, context.getHandler().name, definition.name]);
      seen.push([rpc.getData(), context.getArgByIndex(0), context.getArgs().length]);
      return true;
    };
    @Injectable()
    class Service {
      @Tool()
      @UseGuards({ canActivate: look })
      sayHello(@Arg('name') name: string): string {
        return `Hello ${name}`;
      }
    }
    const client = await serve({ providers: [Service] });
    await client.callTool('say_hello', { name: 'Ada' });
    expect(seen).toEqual([
      ['mcp', 'Service', 'sayHello', 'say_hello'],
      [undefined, undefined, 2],
    ]);
  });

  test('stands beside a guard of Sigil, which Nest makes too', async () => {
    @Injectable()
    class Own implements Guard {
      constructor(private readonly directory: Directory) {}
      allows(): boolean {
        return this.directory.rolesOf({ roles: ['x'] }).length === 1;
      }
      permits({ args }: RequestContext): boolean {
        return (args as { name: string }).name === 'ada';
      }
    }
    @Injectable()
    @UseGuards(RolesGuard)
    class Service {
      @Tool()
      @UseSigilGuards(Own)
      @Roles('admin')
      show(@Arg('name') name: string): string {
        return name;
      }
    }
    const client = await serve({ providers: [Service, Own, Directory], client: ADMIN });
    expect(textOf(await client.callTool('show', { name: 'ada' }))).toBe('ada');
    expect(await client.callTool('show', { name: 'bob' })).toMatchObject({ isError: true });
  });
});

test('rates count calls of providers before guards of Nest are asked', async () => {
  let asked = 0;
  class Asked implements CanActivate {
    canActivate(): boolean {
      asked += 1;
      return true;
    }
  }
  @Injectable()
  class Archive {
    @Tool()
    @UseGuards(Asked)
    @Limit({ concurrency: 2 })
    search(): string {
      return 'found';
    }

    @Tool()
    @Limit('1/h')
    print(): string {
      return 'printed';
    }
  }
  const rates = [{ limit: 3, windowMs: 3_600_000 }];
  const client = await serve({ providers: [Archive], options: { limits: { rates } } });
  const refused = { code: 429, data: { retryAfterMs: expect.any(Number) } };
  expect(textOf(await client.callTool('print'))).toBe('printed');
  await expect(client.callTool('print')).rejects.toMatchObject(refused);
  expect(textOf(await client.callTool('search'))).toBe('found');
  await expect(client.callTool('search')).rejects.toMatchObject(refused);
  expect(asked).toBe(1);
});
