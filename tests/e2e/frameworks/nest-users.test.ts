import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  type LoggerService,
  type ModuleMetadata,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
import { AuthGuard, PassportModule, PassportStrategy } from '@nestjs/passport';
import { RequireScopes, Tool, ToolContext } from '@sigil/core';
import { Strategy } from 'passport-http-bearer';
import { connect, make, PLATFORMS } from './nest-application.js';

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

describe.each(PLATFORMS)('users of SigilModule on $platform', ({ adapter }) => {
  const withLogin: ModuleMetadata = {
    imports: [PassportModule],
    providers: [
      Payroll,
      BearerStrategy,
      { provide: APP_GUARD, useClass: LoginGuard },
      { provide: APP_GUARD, useClass: RolesGuard },
    ],
  };

  test("gives Passport's user to handlers, guards and parameter decorators, and 401 to others", async () => {
    const { address } = await make(adapter(), withLogin);
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

  test('asks guards that are set on the application after it is made, of routes and tools', async () => {
    const seen: string[] = [];
    const { address } = await make(adapter(), { providers: [Payroll] }, (nest) =>
      nest.useGlobalGuards({
        canActivate(context: ExecutionContext) {
          seen.push(`${context.getType()} ${context.getHandler().name}`);
          return context.getHandler().name !== 'raise';
        },
      }),
    );
    const calls = await connect(`${address}/mcp`);
    seen.length = 0;
    expect(await calls.tools()).toEqual(['who_am_i']);
    expect(seen).toEqual(['http serve', 'mcp whoAmI', 'mcp raise']);
  });

  test('lets decorators of the route say who gets in, and who a principal is', async () => {
    @Injectable()
    class Who {
      @Tool()
      whoAmI(ctx: ToolContext): string {
        return ctx.principal?.id ?? 'a guest';
      }
    }
    const { address } = await make(adapter(), {
      imports: [PassportModule],
      providers: [Who, BearerStrategy],
      options: {
        decorators: [UseGuards(AuthGuard('bearer'))],
        principal: ({ user }) => ({ id: (user as { name: string }).name.toLowerCase() }),
      },
    });
    expect(await (await connect(`${address}/mcp`, 'token-of-ada')).text('who_am_i')).toBe('ada');
    const opened = await make(adapter(), {
      imports: [PassportModule],
      providers: [Who, BearerStrategy, { provide: APP_GUARD, useClass: LoginGuard }],
      options: { decorators: [Public()], requestGuards: [LoginGuard] },
    });
    expect(await (await connect(`${opened.address}/mcp`)).text('who_am_i')).toBe('a guest');
  });

  test('warns where a guard of a definition finds a user after it was settled that there is none', async () => {
    const lines: unknown[] = [];
    const warn = (details: unknown, message?: unknown): void => void lines.push([details, message]);
    const logger = { debug: () => undefined, info: () => undefined, warn, error: () => undefined };
    @Injectable()
    class Who {
      @Tool()
      @UseGuards(AuthGuard('bearer'))
      whoAmI(ctx: ToolContext, @User() user: { name: string }): string {
        return `${user.name} ${ctx.principal?.id}`;
      }
    }
    const root = { imports: [PassportModule], providers: [Who, BearerStrategy] };
    const { address } = await make(adapter(), { ...root, options: { logger } });
    const ada = await connect(`${address}/mcp`, 'token-of-ada');
    expect([await ada.text('who_am_i'), await ada.text('who_am_i')]).toEqual([
      'Ada undefined',
      'Ada undefined',
    ]);
    expect(lines).toEqual([
      [
        { kind: 'tool', name: 'who_am_i' },
        expect.stringMatching(
          /^the guard MixinAuthGuard has set request\.user too late: Sigil determines the principal before/,
        ),
      ],
    ]);
    const decorators = [UseGuards(AuthGuard('bearer'))];
    const known = await make(adapter(), { ...root, options: { logger, decorators } });
    expect(await (await connect(`${known.address}/mcp`, 'token-of-ada')).text('who_am_i')).toBe('Ada 1');
    expect(lines).toHaveLength(1);
    const open = await make(adapter(), {
      imports: [PassportModule],
      providers: [Payroll, BearerStrategy, { provide: APP_GUARD, useClass: LoginGuard }],
      options: { logger, decorators: [Public()] },
    });
    expect(await (await connect(`${open.address}/mcp`, 'token-of-ada')).tools()).toContain('who_am_i');
    expect(lines.slice(1)).toEqual([
      [expect.anything(), expect.stringMatching(/^the guard LoginGuard has set request\.user/)],
    ]);
  });

  test('takes a user whose members are getters, and ids that are numbers of any size', async () => {
    class Account {
      readonly #secret = 'hidden';
      get id(): bigint {
        return 2n ** 60n;
      }
      get scope(): string {
        return 'read raise';
      }
      toJSON(): object {
        return { name: 'Ada', length: this.#secret.length };
      }
    }
    @Injectable()
    class Who {
      @Tool()
      whoAmI({ principal }: ToolContext): string {
        return JSON.stringify(principal);
      }
    }
    const { address } = await make(adapter(), {
      providers: [Who, { provide: APP_GUARD, useValue: { canActivate: letIn(new Account()) } }],
    });
    expect(JSON.parse(String(await (await connect(`${address}/mcp`)).text('who_am_i')))).toEqual({
      id: '1152921504606846976',
      scopes: ['read', 'raise'],
      claims: { name: 'Ada', length: 6 },
    });
  });

  test.each([
    [{ name: 'Ada' }, 'request.user has neither id, userId nor sub: set its principal'],
    [{ id: new Date(0) }, 'request.user has an object (Date) as its id: set its principal'],
    [{ userId: true }, 'request.user has a boolean as its userId: set its principal'],
  ])(
    'answers 500, and says why in the log, where a user has nothing that names it: %p',
    async (user, why) => {
      const lines: string[] = [];
      const keep = (...line: unknown[]): void => void lines.push(line.join(' '));
      const logger: LoggerService = { log: keep, error: keep, warn: keep };
      const { address, nest } = await make(adapter(), {
        providers: [Payroll, { provide: APP_GUARD, useValue: { canActivate: letIn(user) } }],
      });
      nest.useLogger(logger);
      const response = await fetch(`${address}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      });
      expect(response.status).toBe(500);
      expect(lines.join('\n')).toContain(why);
      expect(lines.join('\n')).toContain('Sigil');
    },
  );

  test('gives guards the claims that another authentication has found', async () => {
    const authenticate = ({ headers }: { readonly headers: object }) => ({
      id: 'ada',
      claims: { name: 'Ada', roles: 'authorization' in headers ? ['admin'] : [] },
    });
    const { address } = await make(adapter(), {
      providers: [Payroll, { provide: APP_GUARD, useClass: RolesGuard }],
      options: { http: { authenticate } },
    });
    const [ada, guest] = [await connect(`${address}/mcp`, 'any'), await connect(`${address}/mcp`)];
    expect(await ada.tools()).toEqual(['who_am_i', 'raise']);
    expect(await ada.text('who_am_i')).toBe('Ada ada []');
    expect(await guest.tools()).toEqual(['who_am_i']);
  });
});

function letIn(user: object): CanActivate['canActivate'] {
  return (context) => {
    context.switchToHttp().getRequest<{ user: object }>().user = user;
    return true;
  };
}
