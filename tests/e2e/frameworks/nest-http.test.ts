import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  type BeforeApplicationShutdown,
  Scope,
  UnauthorizedException,
  UseInterceptors,
  VersioningType,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, REQUEST } from '@nestjs/core';
import { introspection, oauth } from '@sigil/auth';
import { Tool } from '@sigil/core';
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
