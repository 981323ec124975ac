import { describe, expect, test } from '@jest/globals';
import {
  type ArgumentMetadata,
  type ArgumentsHost,
  BadRequestException,
  type CallHandler,
  Catch,
  ConflictException,
  createParamDecorator,
  DefaultValuePipe,
  type ExceptionFilter,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  InternalServerErrorException,
  type NestInterceptor,
  NotFoundException,
  ParseIntPipe,
  type PipeTransform,
  Scope,
  UseFilters,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import {
  Arg,
  Complete,
  isSuspension,
  Param,
  Prompt,
  PromptContext,
  Resource,
  Tool,
  ToolContext,
  ToolError,
} from '@sigil/core';
import { textOf } from '@sigil/testing';
import { IsString } from 'class-validator';
import { delay, EMPTY, map, type Observable, of, repeat, retry, tap, throwError } from 'rxjs';
import type { HttpRequest } from '../src/index.js';
import { keepingLogger, refuse, serve } from './serve.js';

@Injectable()
class Directory {
  rolesOf(user: unknown): readonly string[] {
    return ((user as { roles?: string[] } | undefined)?.roles ?? []).map(String);
  }
}

describe('an interceptor of Nest', () => {
  @Injectable()
  class Loud implements NestInterceptor {
    constructor(private readonly directory: Directory) {}

    intercept(context: ExecutionContext, next: CallHandler<string>): Observable<string> {
      const { name } = context.switchToRpc().getData<{ name: string }>();
      const known = this.directory.rolesOf({ roles: [name] }).join();
      return next.handle().pipe(map((said) => `${said.toUpperCase()} (${known})`));
    }
  }

  test('runs around the handler, with parsed arguments, the outermost first', async () => {
    const order: string[] = [];
    const note = (name: string): NestInterceptor => ({
      async intercept(_context, next) {
        order.push(name);
        return Promise.resolve(next.handle());
      },
    });
    @Injectable()
    @UseInterceptors(note('class'), Loud)
    class Greeter {
      @Tool()
      @UseInterceptors(note('method'))
      greet(@Arg('name') name: string): string {
        order.push('handler');
        return `Hello ${name}`;
      }
    }
    const client = await serve({ providers: [Greeter, Directory] });
    expect(textOf(await client.callTool('greet', { name: 'Ada' }))).toBe('HELLO ADA (Ada)');
    expect(order).toEqual(['class', 'method', 'handler']);
  });

  test('may answer by itself, and its failure is that of the call', async () => {
    @Injectable()
    class Service {
      @Tool()
      @UseInterceptors({ intercept: () => of('from the cache') })
      cached(): string {
        return 'fresh';
      }

      @Tool()
      @UseInterceptors({ intercept: () => throwError(() => new ToolError('too late')) })
      late(): string {
        return 'fresh';
      }

      @Tool()
      @UseInterceptors({ intercept: (_context, next) => next.handle() })
      nothing(): void {
        return undefined;
      }
    }
    const client = await serve({ providers: [Service] });
    expect(textOf(await client.callTool('cached'))).toBe('from the cache');
    expect(await client.callTool('late')).toMatchObject({ isError: true, content: [{ text: 'too late' }] });
    expect(await client.callTool('nothing')).toMatchObject({ content: [] });
  });

  test('gets the last value of what a handler emits, and so does the client', async () => {
    @Injectable()
    class Service {
      @Tool()
      @UseInterceptors({ intercept: (_context, next) => next.handle().pipe(map((value) => `${value}!`)) })
      emits(): Observable<string> {
        return of('first', 'last').pipe(delay(1));
      }

      @Tool()
      emitsNothing(): Observable<string> {
        return EMPTY;
      }
    }
    const client = await serve({ providers: [Service] });
    expect(textOf(await client.callTool('emits'))).toBe('last!');
    expect(await client.callTool('emits_nothing')).toMatchObject({ content: [] });
  });

  test('runs the handler once: what subscribes again gets the error of the first time', async () => {
    let runs = 0;
    @Injectable()
    class Retries implements NestInterceptor {
      intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
        return next.handle().pipe(retry(2));
      }
    }
    @Injectable()
    class Repeats implements NestInterceptor {
      intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
        return next.handle().pipe(repeat(2));
      }
    }
    @Injectable()
    class Service {
      @Tool()
      @UseInterceptors(Retries)
      fail(): string {
        throw new ToolError(`run ${++runs}`);
      }

      @Tool()
      @UseInterceptors(Repeats)
      work(): string {
        return 'worked';
      }
    }
    const logger = keepingLogger();
    const client = await serve({ providers: [Service], options: { logger } });
    for (const text of ['run 1', 'run 2'])
      expect(await client.callTool('fail')).toMatchObject({ isError: true, content: [{ text }] });
    const told = 'has subscribed to handle() twice, as retry() does: a handler can run only once';
    expect(logger.lines).toEqual([[`the interceptor Retries ${told}`, { kind: 'tool', name: 'fail' }]]);
    expect(textOf(await client.callTool('work'))).toBe('Internal error');
    expect(logger.lines.slice(2)).toMatchObject([
      [expect.any(String), { err: { message: `the interceptor Repeats ${told}` } }],
    ]);
  });

  test('is named in the log when it returns no observable', async () => {
    class Forgets {
      intercept(): void {
        return undefined;
      }
    }
    @Injectable()
    class Service {
      @Tool()
      @UseInterceptors(new Forgets() as never)
      work(): string {
        return 'worked';
      }
    }
    const logger = keepingLogger();
    const client = await serve({ providers: [Service], options: { logger } });
    expect(textOf(await client.callTool('work'))).toBe('Internal error');
    expect(logger.lines).toMatchObject([
      [
        expect.any(String),
        { err: { message: expect.stringContaining('new Forgets() has returned no') as unknown } },
      ],
    ]);
  });

  test('runs for each round in which a handler asks', async () => {
    const rounds: string[] = [];
    const note: NestInterceptor = {
      intercept: (_context, next) =>
        next.handle().pipe(
          tap({
            next: () => rounds.push('answer'),
            error: (error: unknown) => rounds.push(isSuspension(error) ? 'question' : 'error'),
          }),
        ),
    };
    @Injectable()
    class Service {
      @Tool()
      @UseInterceptors(note)
      async askName(ctx: ToolContext): Promise<string> {
        const form = { type: 'object', properties: { name: { type: 'string' } } } as const;
        return String((await ctx.elicit('Who are you?', form)).content?.['name']);
      }
    }
    const onElicit = () => ({ action: 'accept', content: { name: 'Ada' } }) as const;
    const client = await serve({ providers: [Service], client: { revision: '2026-07-28', onElicit } });
    expect(textOf(await client.callTool('ask_name'))).toBe('Ada');
    expect(rounds).toEqual(['question', 'answer']);
  });

  test('lets a question to the user pass', async () => {
    const seen: string[] = [];
    @Injectable()
    @UseFilters({ catch: () => seen.push('filter') })
    @UseInterceptors({ intercept: (_context, next) => next.handle() })
    class Service {
      @Tool()
      async ask(ctx: ToolContext): Promise<string> {
        const form = { type: 'object', properties: { name: { type: 'string' } } } as const;
        const { content } = await ctx.elicit('Who are you?', form);
        return `Hello ${String(content?.['name'])}`;
      }
    }
    const onElicit = () => ({ action: 'accept', content: { name: 'Ada' } }) as const;
    for (const revision of ['2025-11-25', '2026-07-28'] as const) {
      const client = await serve({ providers: [Service], client: { revision, onElicit } });
      expect(textOf(await client.callTool('ask'))).toBe('Hello Ada');
    }
    expect(seen).toEqual([]);
  });
});

describe('an exception filter of Nest', () => {
  class OutOfStock extends Error {
    constructor(readonly sku: string) {
      super(`no more ${sku}`);
    }
  }

  @Catch(OutOfStock)
  class OutOfStockFilter implements ExceptionFilter<OutOfStock> {
    constructor(private readonly directory: Directory) {}
    catch({ sku }: OutOfStock, host: ArgumentsHost): unknown {
      const { name } = host.switchToRpc().getContext<ToolContext>().definition;
      if (sku === 'gone') return `${name}: gone for good`;
      if (sku === 'later') return throwError(() => new ToolError('try later'));
      if (sku === 'returned') return new ToolError('returned');
      if (sku === 'unknown') return undefined;
      if (sku === 'http') return host.switchToHttp().getResponse<object>();
      throw new ToolError(`${sku} ${this.directory.rolesOf({ roles: ['x'] }).join()}`);
    }
  }

  @Injectable()
  @UseFilters({ catch: () => 'caught by the class' })
  class Shop {
    @Tool()
    @UseFilters(OutOfStockFilter)
    buy(@Arg('sku') sku: string): string {
      if (sku === 'bug') throw new TypeError('a bug');
      throw new OutOfStock(sku);
    }
  }

  test('says what becomes of what is thrown; the nearest that fits is used', async () => {
    const logger = keepingLogger();
    const client = await serve({ providers: [Shop, Directory], options: { logger } });
    const buy = async (sku: string) => client.callTool('buy', { sku });
    expect(textOf(await buy('gone'))).toBe('buy: gone for good');
    expect(await buy('later')).toMatchObject({ isError: true, content: [{ text: 'try later' }] });
    expect(await buy('returned')).toMatchObject({ isError: true, content: [{ text: 'returned' }] });
    expect(await buy('lamp')).toMatchObject({ isError: true, content: [{ text: 'lamp x' }] });
    expect(textOf(await buy('bug'))).toBe('caught by the class');
    expect(logger.lines).toEqual([]);
    expect(await buy('unknown')).toMatchObject({ isError: true, content: [{ text: 'Internal error' }] });
    expect(await buy('http')).toMatchObject({ isError: true, content: [{ text: 'Internal error' }] });
    expect(logger.lines).toMatchObject([
      [expect.any(String), { err: { message: 'no more unknown' } }],
      [expect.any(String), { err: { message: expect.stringContaining('has no HTTP response') as unknown } }],
    ]);
  });
});

describe('an HttpException', () => {
  @Injectable()
  class Service {
    @Tool()
    fail(@Arg('what') what: string): string {
      return refuse(exceptions[what] ?? new Error(what));
    }

    @Resource('things://{what}')
    thing(@Param('what') what: string): string {
      return refuse(exceptions[what] ?? new Error(what));
    }

    @Prompt()
    about(@Arg('what') what: string): string {
      return refuse(exceptions[what] ?? new Error(what));
    }
  }
  const exceptions: Readonly<Record<string, HttpException>> = {
    missing: new NotFoundException('There is no such thing'),
    bad: new BadRequestException(['a must be a number', 'b is missing']),
    conflict: new ConflictException({ code: 7, message: 'It is taken' }),
    text: new HttpException('Just text', 418),
    broken: new InternalServerErrorException('password=hunter2'),
  };

  test.each([
    ['missing', 'There is no such thing'],
    ['bad', 'a must be a number; b is missing'],
    ['conflict', 'It is taken'],
    ['text', 'Just text'],
    ['broken', 'Internal error'],
  ])('%s tells the model its message, unless the server has failed', async (what, text) => {
    const client = await serve({ providers: [Service], options: { logger: keepingLogger() } });
    expect(await client.callTool('fail', { what })).toMatchObject({ isError: true, content: [{ text }] });
  });

  test.each([
    ['2025-11-25', -32002],
    ['2026-07-28', -32602],
  ] as const)('tells of a resource that is not there, %s', async (revision, code) => {
    const logger = keepingLogger();
    const client = await serve({ providers: [Service], options: { logger }, client: { revision } });
    await expect(client.readResource('things://missing')).rejects.toMatchObject({ code });
    await expect(client.readResource('things://bad')).rejects.toMatchObject({ code: -32602 });
    await expect(client.getPrompt('about', { what: 'missing' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('There is no such thing') as unknown,
    });
    await expect(client.readResource('things://broken')).rejects.toMatchObject({ code: -32603 });
    expect(logger.lines).toHaveLength(1);
  });
});

test('a parameter decorator of Nest gives its value to handlers, in every application', async () => {
  const User = createParamDecorator((member: string, context: ExecutionContext) => {
    const { user } = context.switchToHttp().getRequest<HttpRequest>();
    return Promise.resolve(`${(user as Record<string, string>)[member]} ${context.getClass().name}`);
  });
  class Base {
    @Tool()
    greet(@Arg('greeting') greeting: string, @User('name') user: string): string {
      return `${greeting} ${user}`;
    }
  }
  @Injectable()
  class Greeter extends Base {}
  for (const name of ['Ada', 'Bob']) {
    const client = await serve({
      providers: [Greeter],
      client: { principal: { id: '1', claims: { name } } },
    });
    expect(textOf(await client.callTool('greet', { greeting: 'Hi' }))).toBe(`Hi ${name} Base`);
  }
});

describe('a pipe of Nest', () => {
  test('changes what the handler gets, each argument for itself', async () => {
    const seen: ArgumentMetadata[] = [];
    const note: PipeTransform = {
      transform(value: unknown, metadata) {
        seen.push(metadata);
        return Promise.resolve(value);
      },
    };
    @Injectable()
    class Lookup implements PipeTransform {
      constructor(private readonly directory: Directory) {}
      transform(value: unknown): unknown {
        return this.directory.rolesOf({ roles: [String(value)] });
      }
    }
    @Injectable()
    @UsePipes(note)
    class Service {
      @Tool()
      @UsePipes(new DefaultValuePipe('7'), ParseIntPipe)
      add(@Arg('a') a: string, ctx: ToolContext, @Arg('b', { optional: true }) b?: string): string {
        return `${Number(a) + Number(b)} ${typeof a} ${typeof b} ${JSON.stringify(ctx.args)}`;
      }

      @Resource('roles://{name}')
      @UsePipes(Lookup)
      roles(@Param('name') name: string): string {
        return JSON.stringify(name);
      }

      @Complete('roles://{name}', 'name')
      names(prefix: string): string[] {
        return [prefix];
      }

      @Prompt()
      nothing(ctx: PromptContext): string {
        return JSON.stringify(ctx.args);
      }
    }
    const client = await serve({ providers: [Service, Directory] });
    expect(textOf(await client.callTool('add', { a: '3' }))).toBe('10 number number {"a":3,"b":7}');
    expect(await client.callTool('add', { a: 'x' })).toMatchObject({
      isError: true,
      content: [{ text: 'Validation failed (numeric string is expected)' }],
    });
    expect(await client.readResource('roles://admin')).toMatchObject({ contents: [{ text: '["admin"]' }] });
    seen.length = 0;
    const completed = await client.complete({ type: 'ref/resource', uri: 'roles://{name}' }, 'name', 'a');
    expect(completed.values).toEqual(['a']);
    await client.getPrompt('nothing');
    expect(seen).toEqual([]);
  });

  test('runs after interceptors have begun, and what it throws comes to filters', async () => {
    const order: string[] = [];
    class Order {
      @IsString() sku!: string;
    }
    @Injectable({ scope: Scope.REQUEST })
    class Known implements PipeTransform {
      constructor(@Inject(REQUEST) private readonly request: HttpRequest) {}
      transform(value: Order, { metatype, type }: ArgumentMetadata): Order {
        order.push(`${type} ${metatype?.name} ${value instanceof Order}`);
        if (value.sku === String(this.request.headers['x-gone'])) throw new NotFoundException('gone');
        return Object.assign(new Order(), { sku: value.sku.toUpperCase() });
      }
    }
    @Injectable()
    @UseFilters({ catch: (error: Error) => `caught ${error.message}` })
    class Shop {
      @Tool()
      @UseInterceptors({
        intercept(context, next) {
          order.push(context.switchToRpc().getData<Order>().sku);
          return next.handle();
        },
      })
      @UsePipes(Known)
      buy(ctx: ToolContext, order: Order): string {
        return `${order.sku} ${ctx.args === order}`;
      }
    }
    const client = await serve({ providers: [Shop], client: { headers: { 'X-Gone': 'sofa' } } });
    expect(textOf(await client.callTool('buy', { sku: 'lamp' }))).toBe('LAMP true');
    expect(textOf(await client.callTool('buy', { sku: 'sofa' }))).toBe('caught gone');
    expect(await client.callTool('buy', { sku: 7 })).toMatchObject({ isError: true });
    expect(order).toEqual(['lamp', 'body Order true', 'sofa', 'body Order true']);
  });
});
