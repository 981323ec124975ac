import { describe, expect, test } from '@jest/globals';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  Inject,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  Scope,
  UseFilters,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE, BaseExceptionFilter, REQUEST } from '@nestjs/core';
import type { TestingModule } from '@nestjs/testing';
import { Arg, Param, Prompt, Resource, Tool, ToolError } from '@sigil/core';
import { textOf } from '@sigil/testing';
import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';
import { map } from 'rxjs';
import { clientOf, compile, keepingLogger, refuse, serve } from './serve.js';

const adds = (mark: string): NestInterceptor => ({
  intercept: (_context, next) => next.handle().pipe(map((value) => `${mark}(${String(value)})`)),
});

describe('with inheritAppConfig', () => {
  const options = { inheritAppConfig: true };

  test('global interceptors run around each call, outside of those of the class', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Scoped implements NestInterceptor {
      readonly #user: string;
      constructor(@Inject(REQUEST) { user }: { user: { id: string } }) {
        this.#user = user.id;
      }
      intercept(...args: Parameters<NestInterceptor['intercept']>) {
        return adds(this.#user).intercept(...args);
      }
    }
    @Injectable()
    @UseInterceptors(adds('class'))
    class Service {
      @Tool()
      call(): string {
        return 'tool';
      }
      @Resource('things://{id}')
      thing(@Param('id') id: string): string {
        return id;
      }
      @Prompt()
      about(): string {
        return 'prompt';
      }
    }
    const nest = await compile({
      options,
      providers: [
        Service,
        { provide: APP_INTERCEPTOR, useValue: adds('app') },
        { provide: APP_INTERCEPTOR, useClass: Scoped },
      ],
    });
    // As `main.ts` does, once the modules are made.
    applicationOf(nest).useGlobalInterceptors(adds('late'));
    const client = await clientOf(nest, { principal: { id: 'ada' } });
    expect(textOf(await client.callTool('call'))).toBe('app(late(ada(class(tool))))');
    expect(await client.readResource('things://7')).toMatchObject({
      contents: [{ text: 'app(late(ada(class(7))))' }],
    });
    expect(await client.getPrompt('about')).toMatchObject({
      messages: [{ content: { text: 'app(late(ada(class(prompt))))' } }],
    });
  });

  test('global filters are asked after those of the method and class, the last first', async () => {
    @Catch(RangeError)
    class Ranges implements ExceptionFilter {
      catch(error: RangeError, host: ArgumentsHost): string {
        return `${host.getType()} caught ${error.message}`;
      }
    }
    @Injectable()
    class Service {
      @Tool()
      @UseFilters(Ranges)
      own(): string {
        throw new RangeError('by its own');
      }
      @Tool()
      range(): string {
        throw new RangeError('by the global one');
      }
      @Tool()
      other(): string {
        throw new TypeError('it');
      }
    }
    const client = await serve({
      options,
      providers: [
        Service,
        { provide: APP_FILTER, useValue: { catch: (error: Error) => `first: ${error.message}` } },
        { provide: APP_FILTER, useClass: Ranges },
      ],
    });
    expect(textOf(await client.callTool('own'))).toBe('mcp caught by its own');
    expect(textOf(await client.callTool('range'))).toBe('mcp caught by the global one');
    expect(textOf(await client.callTool('other'))).toBe('first: it');
  });

  test('filters that extend BaseExceptionFilter are left out, and the log names them', async () => {
    @Catch()
    class HttpErrors extends BaseExceptionFilter {
      override catch(): void {
        refuse(new Error('it was used'));
      }
    }
    @Injectable()
    class Service {
      @Tool()
      fail(): string {
        throw new ToolError('as ever');
      }
    }
    const logger = keepingLogger();
    const nest = await compile({
      options: { ...options, logger },
      providers: [Service, { provide: APP_FILTER, useClass: HttpErrors }],
    });
    await nest.init();
    expect(textOf(await (await clientOf(nest)).callTool('fail'))).toBe('as ever');
    expect(logger.lines).toEqual([
      [
        expect.stringMatching(/^calls at \/mcp bypass HttpErrors: filters that extend BaseExceptionFilter/),
        expect.anything(),
      ],
    ]);
  });

  test('global pipes change what the handler gets, before those of the class; ValidationPipe does not run', async () => {
    const seen: unknown[] = [];
    const pipe = (mark: string): PipeTransform => ({
      transform(value: unknown, metadata) {
        seen.push([mark, metadata]);
        return typeof value === 'string' ? `${value} ${mark}` : value;
      },
    });
    class Order {
      // Where it ran twice, there would be no string to split.
      @IsString({ each: true })
      @Transform(({ value }: { value: string }) => value.split(','))
      skus!: string[];
    }
    @Injectable()
    @UsePipes(pipe('class'))
    class Service {
      @Tool()
      greet(@Arg('name') name: string): string {
        return name;
      }
      @Tool()
      order(order: Order): string {
        return `${order instanceof Order} ${JSON.stringify(order.skus)}`;
      }
    }
    const client = await serve({
      options,
      providers: [
        Service,
        { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true, whitelist: true }) },
        { provide: APP_PIPE, useValue: pipe('global') },
      ],
    });
    expect(textOf(await client.callTool('greet', { name: 'Ada' }))).toBe('Ada global class');
    expect(textOf(await client.callTool('order', { skus: 'a,b' }))).toBe('true ["a","b"]');
    expect(seen).toEqual([
      ['global', { type: 'body', metatype: String, data: 'name' }],
      ['class', { type: 'body', metatype: String, data: 'name' }],
      ['global', { type: 'body', metatype: Order, data: undefined }],
      ['class', { type: 'body', metatype: Order, data: undefined }],
    ]);
  });
});

describe('without inheritAppConfig', () => {
  class Logging implements NestInterceptor {
    intercept(): never {
      return refuse(new Error('it was used'));
    }
  }
  @Catch()
  class Errors implements ExceptionFilter {
    catch(): never {
      return refuse(new Error('it was used'));
    }
  }
  @Injectable({ scope: Scope.REQUEST })
  class Trim implements PipeTransform {
    transform(): never {
      return refuse(new Error('it was used'));
    }
  }
  @Injectable()
  class Service {
    @Tool()
    fail(@Arg('text') text: string): string {
      throw new ToolError(text);
    }
  }
  const providers = [
    Service,
    { provide: APP_INTERCEPTOR, useClass: Logging },
    { provide: APP_FILTER, useClass: Errors },
    { provide: APP_PIPE, useClass: Trim },
    { provide: APP_PIPE, useValue: new ValidationPipe() },
  ];

  test('calls bypass global enhancers, and the log names them when the application starts', async () => {
    const logger = keepingLogger();
    const nest = await compile({ options: { logger }, providers });
    applicationOf(nest).useGlobalInterceptors(new Logging(), adds('late'));
    expect(logger.lines).toEqual([]);
    await nest.init();
    const client = await clientOf(nest);
    expect(textOf(await client.callTool('fail', { text: 'as ever' }))).toBe('as ever');
    expect(logger.lines.map((line) => (line as unknown[])[0])).toEqual([
      'calls at /mcp bypass global enhancers: Logging, Object, Errors, Trim; write SigilModule.forRoot({ inheritAppConfig: true }) ' +
        'to run them for each call, or inheritAppConfig: false if they are only for HTTP requests',
    ]);
  });

  test.each([
    ['where that is meant', { inheritAppConfig: false }, providers],
    ['where it runs', { inheritAppConfig: true }, providers],
    ['of a ValidationPipe', {}, [Service, { provide: APP_PIPE, useValue: new ValidationPipe() }]],
    ['of guards', {}, [Service]],
  ])('the log says nothing %s', async (_where, options, given) => {
    const logger = keepingLogger();
    await (await compile({ options: { ...options, logger }, providers: given })).init();
    expect(logger.lines).toEqual([]);
  });

  test('it must be true or false', async () => {
    const options = { inheritAppConfig: 'yes' } as never;
    await expect(compile({ options })).rejects.toThrow('SigilModule.forRoot({ inheritAppConfig })');
  });
});

/** What `main.ts` has of an application. */
function applicationOf(nest: TestingModule) {
  return nest.createNestApplication({ logger: false });
}
