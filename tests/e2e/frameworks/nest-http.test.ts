import 'reflect-metadata';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  type NestInterceptor,
  type BeforeApplicationShutdown,
  Scope,
  UnauthorizedException,
  UseGuards,
  UseInterceptors,
  VersioningType,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, REQUEST } from '@nestjs/core';
import { introspection, oauth } from '@sigil/auth';
import { Arg, Tool, ToolContext } from '@sigil/core';
import { SigilModule } from '@sigil/nest';
import { lastValueFrom, of } from 'rxjs';
import { Calls } from '../calls.js';
import { v1, v2Auto } from '../clients.js';
import { closeLater, connect, make, PLATFORMS } from './nest-application.js';

@Injectable()
class Hello {
  @Tool()
  greet(): string {
    return 'Hello';
  }
}

describe.each(PLATFORMS)('SigilModule on $platform', ({ adapter }) => {
  test('serves official clients below the global prefix, whatever versions routes have', async () => {
    const { address } = await make(
      adapter(),
      { providers: [Hello], options: { path: 'tools/mcp' } },
      (nest) =>
        nest.setGlobalPrefix('api').enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }),
    );
    for (const kind of [v1('2025-11-25'), v2Auto]) {
      const { client } = await kind.connect({ address: `${address}/api/tools/mcp` });
      closeLater(() => client.close());
      expect(await new Calls(client).text('greet')).toBe('Hello');
    }
    expect((await fetch(`${address}/tools/mcp`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${address}/api/tools/mcp/sse`)).status).toBe(404);
  });

  test('serves several servers side by side, each behind its own guards and documents', async () => {
    class Refuses implements CanActivate {
      canActivate(): boolean {
        return false;
      }
    }
    @Injectable()
    class Office {
      @Tool()
      file(): string {
        return 'filed';
      }
    }
    @Module({ providers: [Hello] })
    class HelloModule {}
    @Module({ providers: [Office] })
    class OfficeModule {}
    const authorization = oauth({
      resource: 'https://mcp.example.com/closed',
      issuers: ['https://login.example.com'],
      tokens: introspection({ clientId: 'x', clientSecret: 'y' }),
    });
    const more = { version: '1.0.0', include: [OfficeModule] };
    const { address } = await make(adapter(), {
      imports: [
        HelloModule,
        OfficeModule,
        SigilModule.forRoot({ ...more, name: 'office', path: '/office' }),
        SigilModule.forRoot({ ...more, name: 'closed', path: '/closed', http: { authorization } }),
        SigilModule.forRoot({ ...more, name: 'hidden', path: '/hidden', decorators: [UseGuards(Refuses)] }),
      ],
      options: { include: [HelloModule], sse: true },
    });
    const [hello, office] = [await connect(`${address}/mcp`), await connect(`${address}/office`)];
    expect([await hello.tools(), await office.tools()]).toEqual([['greet'], ['file']]);
    expect([await hello.text('greet'), await office.text('file')]).toEqual(['Hello', 'filed']);
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(address + path, { method: 'POST' })).status;
    expect(await Promise.all(['/closed', '/hidden', '/office/sse'].map(statusOf))).toEqual([401, 403, 404]);
    expect((await fetch(`${address}/.well-known/oauth-protected-resource/closed`)).status).toBe(200);
  });

  test('serves HTTP+SSE where it is told to, and pages of other origins where CORS and it agree', async () => {
    const origin = 'https://app.example';
    const http = { allowedOrigins: [origin] };
    const { address } = await make(adapter(), { providers: [Hello], options: { sse: true, http } }, (nest) =>
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

  test('serves the documents of oauth() at the root, whatever the prefix', async () => {
    const authorization = oauth({
      resource: 'https://mcp.example.com/api/mcp',
      issuers: ['https://login.example.com'],
      tokens: introspection({ clientId: 'x', clientSecret: 'y' }),
    });
    const { address } = await make(
      adapter(),
      { providers: [Hello], options: { http: { authorization } } },
      (nest) => nest.setGlobalPrefix('api'),
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
    const { address } = await make(adapter(), {
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

  test('sends headers that are set before the answer begins, and no others', async () => {
    @Injectable()
    class Service {
      @Tool()
      @UseInterceptors({
        async intercept(context, next) {
          const response = context.switchToHttp().getResponse<HeaderSetter & ServerResponse>();
          response.header('x-early', 'early');
          const value: unknown = await lastValueFrom(next.handle());
          response.header('x-late', 'late').header('x-later', 'later');
          return of(value);
        },
      })
      async work(@Arg('steps') steps: number, ctx: ToolContext): Promise<string> {
        for (let step = 1; step <= steps; step += 1) ctx.progress(step);
        return 'worked';
      }
    }
    const { address } = await make(adapter(), { providers: [Service] }, (nest) => {
      nest.use((_request: unknown, response: ServerResponse, next: () => void) => {
        response.setHeader('x-middleware', 'yes');
        next();
      });
      const fastify = nest.getHttpAdapter().getInstance() as {
        addHook?: (name: string, hook: unknown) => void;
      };
      fastify.addHook?.('onRequest', (_request: unknown, reply: HeaderSetter, done: () => void) => {
        reply.header('x-middleware', 'yes');
        done();
      });
    });
    const answer = async (steps: number): Promise<Response> => {
      const meta = {
        progressToken: 1,
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const params = { name: 'work', arguments: { steps }, _meta: meta };
      return fetch(`${address}/mcp`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': '2026-07-28',
          'Mcp-Method': 'tools/call',
          'Mcp-Name': 'work',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
    };
    const [whole, streamed] = [await answer(0), await answer(2)];
    expect([await whole.text(), await streamed.text()]).toEqual([
      expect.stringContaining('worked'),
      expect.stringMatching(/progress[\s\S]*worked/),
    ]);
    const namesOf = ({ headers }: Response): string[] =>
      ['x-middleware', 'x-early', 'x-late', 'x-later'].filter((name) => headers.has(name));
    expect(namesOf(whole)).toEqual(['x-middleware', 'x-early', 'x-late', 'x-later']);
    expect(namesOf(streamed)).toEqual(['x-middleware', 'x-early']);
  });

  test('serves at the root, or at the prefix, where that is its path', async () => {
    const { address } = await make(adapter(), { providers: [Hello], options: { path: '/', sse: true } });
    expect(await (await connect(address)).text('greet')).toBe('Hello');
    expect((await fetch(`${address}/other`)).status).toBe(404);
    const gone = new AbortController();
    const stream = await fetch(`${address}/sse`, { signal: gone.signal });
    const first = (await stream.body?.getReader().read())?.value as Uint8Array;
    expect(Buffer.from(first).toString()).toContain('data: /messages');
    gone.abort();
    const prefixed = await make(adapter(), { providers: [Hello], options: { path: '/' } }, (nest) =>
      nest.setGlobalPrefix('api'),
    );
    expect(await (await connect(`${prefixed.address}/api`)).text('greet')).toBe('Hello');
  });

  test('warns of request guards that are no global guards', async () => {
    class Known extends Allows {}
    class Scoped extends Allows {}
    class Unknown extends Allows {}
    const lines: string[] = [];
    const warn = (line: unknown): void => void lines.push(String(line));
    await make(
      adapter(),
      {
        providers: [Hello, { provide: APP_GUARD, scope: Scope.REQUEST, useClass: Scoped }],
        options: { logger: { ...SILENT, warn }, requestGuards: [Known, Scoped, Unknown] },
      },
      (nest) => nest.useGlobalGuards(new Known()),
    );
    expect(lines).toEqual([expect.stringContaining('Unknown is not a global guard') as unknown]);
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
    const { address } = await make(adapter(), { providers: [Greeter, Caller] });
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
    const { address, nest } = await make(adapter(), { providers: [Slow] });
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

class Allows implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

interface HeaderSetter {
  header(name: string, value: string): HeaderSetter;
}

const quiet = (): void => undefined;
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };

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
