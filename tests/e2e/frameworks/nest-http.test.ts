import 'reflect-metadata';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  type INestApplication,
  type LoggerService,
  Module,
  type ModuleMetadata,
  type NestInterceptor,
  type BeforeApplicationShutdown,
  Scope,
  SetMetadata,
  type Type,
  UnauthorizedException,
  UseGuards,
  UseInterceptors,
  VersioningType,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, NestFactory, Reflector, REQUEST } from '@nestjs/core';
import { AuthGuard, PassportModule, PassportStrategy } from '@nestjs/passport';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { introspection, oauth } from '@sigil/auth';
import { RequireScopes, Tool, ToolContext } from '@sigil/core';
import { type RouteOptions, SigilModule, type SigilModuleOptions } from '@sigil/nest';
import { Strategy } from 'passport-http-bearer';
import { Calls } from '../calls.js';
import { v1, v2Auto } from '../clients.js';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const PLATFORMS = [
  { platform: 'Express', adapter: () => new ExpressAdapter() },
  { platform: 'Fastify', adapter: () => new FastifyAdapter({ forceCloseConnections: true }) },
];

const USERS: Readonly<Record<string, object>> = {
  'token-of-ada': { userId: 1, name: 'Ada', roles: ['admin'], scopes: ['raise'] },
  'token-of-bob': { userId: 2, name: 'Bob', roles: [] },
};

@Injectable()
class BearerStrategy extends PassportStrategy(Strategy) {
  validate(token: string): object | false {
    return USERS[token] ?? false;
  }
}

const Public = (): ClassDecorator & MethodDecorator => SetMetadata('public', true);
const User = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<{ user: { name: string } }>().user,
);

@Injectable()
class LoginGuard extends AuthGuard('bearer') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override canActivate(context: ExecutionContext): ReturnType<CanActivate['canActivate']> {
    const isPublic = this.reflector.getAllAndOverride<boolean>('public', [
      context.getHandler(),
      context.getClass(),
    ]);
    return isPublic || super.canActivate(context);
  }
}

@Injectable()
class RolesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const role = this.reflector.get<string | undefined>('role', context.getHandler());
    const { user } = context.switchToHttp().getRequest<{ user?: { roles?: string[] } }>();
    return role === undefined || (user?.roles ?? []).includes(role);
  }
}

@Injectable()
class Payroll {
  @Tool({ description: 'Tells who asks' })
  whoAmI(ctx: ToolContext, @User() user: { name: string }): string {
    return `${user.name} ${ctx.principal?.id} ${JSON.stringify(ctx.principal?.scopes ?? [])}`;
  }

  @Tool({ description: 'Raises salaries' })
  @SetMetadata('role', 'admin')
  @RequireScopes('raise')
  raise(): string {
    return 'raised';
  }
}

interface Made {
  readonly nest: INestApplication;
  readonly address: string;
}

describe.each(PLATFORMS)('SigilModule on $platform', ({ adapter }) => {
  async function make(
    {
      options,
      ...metadata
    }: ModuleMetadata & { readonly options?: Partial<SigilModuleOptions & RouteOptions> },
    prepare: (nest: INestApplication) => unknown = () => undefined,
  ): Promise<Made> {
    class AppModule {}
    const imports = [
      SigilModule.forRoot({ name: 'payroll', version: '1.0.0', ...options }),
      ...(metadata.imports ?? []),
    ];
    Module({ ...metadata, imports })(AppModule);
    return start(AppModule, prepare);
  }

  async function start(module: Type, prepare: (nest: INestApplication) => unknown): Promise<Made> {
    const nest = await NestFactory.create(module, adapter() as never, {
      logger: false,
      abortOnError: false,
      forceCloseConnections: true,
    });
    closing.push(() => nest.close());
    await prepare(nest);
    await nest.listen(0, '127.0.0.1');
    return { nest, address: await nest.getUrl() };
  }

  async function connect(address: string, token?: string): Promise<Calls & { tools(): Promise<string[]> }> {
    const client = new Client({ name: 'nest', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
    closing.push(() => client.close());
    const tools = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    return Object.assign(new Calls(client), { tools });
  }

  const withLogin: ModuleMetadata = {
    imports: [PassportModule],
    providers: [
      Payroll,
      BearerStrategy,
      { provide: APP_GUARD, useClass: LoginGuard },
      { provide: APP_GUARD, useClass: RolesGuard },
    ],
  };

  test('serves official clients below the global prefix, whatever versions routes have', async () => {
    @Injectable()
    class Greeter {
      @Tool()
      greet(): string {
        return 'Hello';
      }
    }
    const { address } = await make({ providers: [Greeter], options: { path: 'tools/mcp' } }, (nest) =>
      nest.setGlobalPrefix('api').enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }),
    );
    for (const kind of [v1('2025-11-25'), v2Auto]) {
      const { client } = await kind.connect({ address: `${address}/api/tools/mcp` });
      closing.push(() => client.close());
      expect(await new Calls(client).text('greet')).toBe('Hello');
    }
    expect((await fetch(`${address}/tools/mcp`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${address}/api/tools/mcp/sse`)).status).toBe(404);
  });

  test('serves HTTP+SSE where it is told to, and pages of other origins where CORS and it agree', async () => {
    const origin = 'https://app.example';
    const http = { allowedOrigins: [origin] };
    const { address } = await make({ providers: [Payroll], options: { sse: true, http } }, (nest) =>
      nest.enableCors({ origin, methods: 'POST' }),
    );
    const gone = new AbortController();
    const stream = await fetch(`${address}/mcp/sse`, { signal: gone.signal });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const first = (await stream.body?.getReader().read())?.value as Uint8Array;
    expect(Buffer.from(first).toString()).toContain('data: /mcp/messages');
    gone.abort();
    const preflight = await fetch(`${address}/mcp`, {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    const answered = await fetch(`${address}/mcp`, { method: 'POST', headers: { Origin: origin } });
    expect(answered.headers.get('access-control-allow-origin')).toBe(origin);
    const foreign = await fetch(`${address}/mcp`, {
      method: 'POST',
      headers: { Origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
  });

  test("gives Passport's user to handlers, guards and parameter decorators, and 401 to others", async () => {
    const { address } = await make(withLogin);
    const refused = await fetch(`${address}/mcp`, { method: 'POST' });
    expect(refused.status).toBe(401);
    const [ada, bob] = [
      await connect(`${address}/mcp`, 'token-of-ada'),
      await connect(`${address}/mcp`, 'token-of-bob'),
    ];
    expect(await ada.text('who_am_i')).toBe('Ada 1 ["raise"]');
    expect(await bob.text('who_am_i')).toBe('Bob 2 []');
    expect(await ada.tools()).toEqual(['who_am_i', 'raise']);
    expect(await bob.tools()).toEqual(['who_am_i']);
    expect(await ada.text('raise')).toBe('raised');
    await expect(bob.text('raise')).rejects.toThrow('Unknown tool');
  });

  test('lets decorators of the route say who gets in, and who a principal is', async () => {
    @Injectable()
    class Who {
      @Tool()
      whoAmI(ctx: ToolContext): string {
        return ctx.principal?.id ?? 'a guest';
      }
    }
    const { address } = await make({
      imports: [PassportModule],
      providers: [Who, BearerStrategy],
      options: {
        decorators: [UseGuards(AuthGuard('bearer'))],
        principal: ({ user }) => ({ id: (user as { name: string }).name.toLowerCase() }),
      },
    });
    expect(await (await connect(`${address}/mcp`, 'token-of-ada')).text('who_am_i')).toBe('ada');
    const opened = await make({
      imports: [PassportModule],
      providers: [Who, BearerStrategy, { provide: APP_GUARD, useClass: LoginGuard }],
      options: { decorators: [Public()], requestGuards: [LoginGuard] },
    });
    expect(await (await connect(`${opened.address}/mcp`)).text('who_am_i')).toBe('a guest');
  });

  test('answers 500, and says why in the log, where a user has nothing that names it', async () => {
    const lines: string[] = [];
    const keep = (...line: unknown[]): void => void lines.push(line.join(' '));
    const logger: LoggerService = { log: keep, error: keep, warn: keep };
    const { address, nest } = await make({
      providers: [Payroll, { provide: APP_GUARD, useValue: { canActivate: letIn({ name: 'Ada' }) } }],
    });
    nest.useLogger(logger);
    const response = await fetch(`${address}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    expect(response.status).toBe(500);
    expect(lines.join('\n')).toContain('request.user has neither id, userId nor sub');
    expect(lines.join('\n')).toContain('Sigil');
  });

  test('serves with oauth(): its documents are at the root, and guards see the claims', async () => {
    const authorization = oauth({
      resource: 'https://mcp.example.com/api/mcp',
      issuers: ['https://login.example.com'],
      tokens: introspection({ clientId: 'x', clientSecret: 'y' }),
    });
    const { address } = await make({ providers: [Payroll], options: { http: { authorization } } }, (nest) =>
      nest.setGlobalPrefix('api'),
    );
    const path = '/.well-known/oauth-protected-resource/api/mcp';
    const metadata = await fetch(`${address}${path}?x=1`);
    expect(metadata.status).toBe(200);
    expect(await metadata.json()).toMatchObject({ resource: 'https://mcp.example.com/api/mcp' });
    const refused = await fetch(`${address}/api/mcp`, { method: 'POST' });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining(`resource_metadata="https://mcp.example.com${path}"`),
    ]);
    expect((await fetch(`${address}/.well-known/other`)).status).toBe(404);
  });

  test('has global interceptors and filters run once for each request', async () => {
    const seen: string[] = [];
    const note: NestInterceptor = {
      intercept(context, next) {
        seen.push(`${context.getType()} ${context.getClass().name}`);
        return next.handle();
      },
    };
    @Injectable()
    class Refuses implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
        if (headers['x-refuse']) throw new UnauthorizedException('go away');
        return true;
      }
    }
    @Injectable()
    class Service {
      @Tool()
      @UseInterceptors({
        intercept(context, next) {
          const response = context
            .switchToHttp()
            .getResponse<{ header(name: string, value: string): void }>();
          response.header('x-seen', context.getHandler().name);
          return next.handle();
        },
      })
      fail(): string {
        throw new Error('never shown');
      }
    }
    const { address } = await make({
      providers: [
        Service,
        { provide: APP_GUARD, useClass: Refuses },
        { provide: APP_INTERCEPTOR, useValue: note },
        { provide: APP_FILTER, useValue: { catch: answer } },
      ],
      options: { logger: SILENT },
    });
    const calls = await connect(`${address}/mcp`);
    seen.length = 0;
    expect(await calls.tool('fail')).toMatchObject({ isError: true, text: 'Internal error' });
    expect(seen).toEqual(['http McpController']);
    const refused = await fetch(`${address}/mcp`, { method: 'POST', headers: { 'X-Refuse': '1' } });
    expect([refused.status, await refused.json()]).toEqual([401, { told: 'go away' }]);
  });

  test('makes request-scoped services with the request of the platform', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Caller {
      constructor(@Inject(REQUEST) readonly request: { readonly headers: Record<string, string> }) {}
    }
    @Injectable()
    class Greeter {
      constructor(private readonly caller: Caller) {}
      @Tool()
      greet(): string {
        return `Hello ${this.caller.request.headers['authorization']}`;
      }
    }
    const { address } = await make({ providers: [Greeter, Caller] });
    expect(await (await connect(`${address}/mcp`, 'a')).text('greet')).toBe('Hello Bearer a');
    expect(await (await connect(`${address}/mcp`, 'b')).text('greet')).toBe('Hello Bearer b');
  });

  test('lets a call finish while the application closes, before services shut down', async () => {
    const order: string[] = [];
    const held = withResolvers();
    const begun = withResolvers();
    @Injectable()
    class Slow implements BeforeApplicationShutdown {
      @Tool()
      async work(): Promise<string> {
        begun.resolve();
        await held.promise;
        order.push('call');
        return 'worked';
      }
      beforeApplicationShutdown(): void {
        order.push('shutdown');
      }
    }
    const { address, nest } = await make({ providers: [Slow] });
    const calls = await connect(`${address}/mcp`);
    const answer = calls.text('work');
    await begun.promise;
    const closed = nest.close();
    setTimeout(() => held.resolve(), 50);
    expect(await answer).toBe('worked');
    await closed;
    expect(order).toEqual(['call', 'shutdown']);
  });
});

const quiet = (): void => undefined;
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };

function letIn(user: object): CanActivate['canActivate'] {
  return (context) => {
    context.switchToHttp().getRequest<{ user: object }>().user = user;
    return true;
  };
}

/** A filter as they are written for HTTP. */
function answer(error: UnauthorizedException, host: ExecutionContext): void {
  const response = host.switchToHttp().getResponse<{ status(code: number): { send(body: object): void } }>();
  response.status(error.getStatus()).send({ told: error.message });
}

function withResolvers(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = quiet;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
}
