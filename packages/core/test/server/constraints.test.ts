import { afterEach, describe, expect, test } from '@jest/globals';
import { IsString, registerDecorator, Validate, ValidatorConstraint } from 'class-validator';
import { type App, type AppOptions, inject, PRINCIPAL, Prompt, Service, Tool } from '../../src/index.js';
import type { Container } from '../../src/container/container.js';
import { appOf, openSession, problemsOf, recordingLogger, textOf } from '../harness.js';

@Service()
class Users {
  names: readonly string[] = ['ada'];
}

@ValidatorConstraint()
class IsFree {
  constructor(private readonly users: Users) {}

  validate(name: string): boolean {
    if (name === 'boom') throw new Error('the secret database is down');
    return !this.users.names.includes(name);
  }

  defaultMessage(): string {
    return `$value is taken; so are ${this.users.names.join(', ')}`;
  }
}

class SignUp {
  @Validate(IsFree) @IsString() name!: string;
}

@Service()
class Accounts {
  @Tool()
  signUp({ name }: SignUp): string {
    return `Welcome, ${name}`;
  }

  @Prompt()
  greet({ name }: SignUp): string {
    return `Hello, ${name}`;
  }
}

const apps: App[] = [];

async function open(options: Partial<AppOptions>) {
  const app = await appOf(options);
  apps.push(app);
  return openSession(app);
}

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

describe('a constraint of class-validator', () => {
  test('gets its dependencies from the container of its app, and of no other', async () => {
    const users = new Users();
    users.names = ['bob'];
    const one = await open({ services: [Accounts] });
    const other = await open({ services: [Accounts], providers: [{ provide: Users, useValue: users }] });
    const signUp = async (client: typeof one, name: string) => textOf(await client.call('sign_up', { name }));
    expect(await signUp(one, 'ada')).toBe(
      'name: the string "ada" is taken; so are ada; received the string "ada"',
    );
    expect(await signUp(other, 'ada')).toBe('Welcome, ada');
    expect(await signUp(other, 'bob')).toContain('so are bob');
    expect(await signUp(one, 'bob')).toBe('Welcome, bob');
  });

  test('is one instance in an app, may inject in its properties, and may be registered by a decorator', async () => {
    const made: unknown[] = [];
    @ValidatorConstraint()
    class IsKnown {
      readonly #users = inject(Users);

      constructor() {
        made.push(this);
      }

      validate(name: string): boolean {
        return this.#users.names.includes(name);
      }
    }
    const Known =
      () =>
      (target: object, propertyName: string): void =>
        registerDecorator({ target: target.constructor, propertyName, validator: IsKnown });
    class Pair {
      @Known() first!: string;
      @Validate(IsKnown) second!: string;
    }
    @Service()
    class Pairs {
      @Tool()
      join({ first, second }: Pair): string {
        return first + second;
      }
    }
    const client = await open({ services: [Pairs] });
    expect(textOf(await client.call('join', { first: 'ada', second: 'ada' }))).toBe('adaada');
    expect((await client.call('join', { first: 'ada', second: 'eve' }))['isError']).toBe(true);
    expect(made).toHaveLength(1);
  });

  test('that needs what the container cannot make keeps the app from starting', async () => {
    @ValidatorConstraint()
    class Needy {
      constructor(readonly name: string) {}

      validate(): boolean {
        return true;
      }
    }
    class Form {
      @Validate(Needy) value!: string;
    }
    @Service()
    class Forms {
      @Tool()
      send({ value }: Form): string {
        return value;
      }
    }
    expect(await problemsOf({ services: [Forms] })).toMatchObject([
      { code: 'SIGIL_ERASED_TYPE', where: 'Needy, constructor parameter 0' },
    ]);
  });

  test('comes from a foreign container when its constructor needs something, and else from class-validator', async () => {
    @ValidatorConstraint()
    class Simple {
      validate(value: string): boolean {
        return value !== 'no';
      }
    }
    class Form {
      @Validate(IsFree) name!: string;
      @Validate(Simple) answer!: string;
    }
    @Service()
    class Forms {
      @Tool()
      send({ name, answer }: Form): string {
        return `${name}: ${answer}`;
      }
    }
    const asked: unknown[] = [];
    const container: Container = {
      get: ((cls: unknown) => {
        asked.push(cls);
        return cls === Forms ? new Forms() : new IsFree(new Users());
      }) as Container['get'],
    };
    const client = await open({ services: [Forms], container });
    expect(textOf(await client.call('send', { name: 'bob', answer: 'yes' }))).toBe('bob: yes');
    expect((await client.call('send', { name: 'bob', answer: 'no' }))['isError']).toBe(true);
    expect((await client.call('send', { name: 'ada', answer: 'yes' }))['isError']).toBe(true);
    expect(asked.filter((cls) => cls !== Forms)).toEqual([IsFree]);
  });

  test('lives as long as the app: one that needs what belongs to a request keeps the app from starting', async () => {
    @Service({ scope: 'request' })
    class Caller {}

    @ValidatorConstraint()
    class TakesCaller {
      constructor(readonly caller: Caller) {}
      validate = () => true;
    }
    @ValidatorConstraint()
    class InjectsPrincipal {
      readonly principal = inject(PRINCIPAL);
      validate = () => true;
    }
    @ValidatorConstraint()
    @Service({ scope: 'request' })
    class IsOfRequest {
      validate = () => true;
    }
    const problemsWith = (constraint: new (...args: never[]) => { validate(): boolean }) => {
      class Checked {
        @Validate(constraint) name!: string;
      }
      class Tools {
        check(_checked: Checked): void {}
      }
      Reflect.defineMetadata('design:paramtypes', [Checked], Tools.prototype, 'check');
      Tool()(Tools.prototype, 'check', Object.getOwnPropertyDescriptor(Tools.prototype, 'check')!);
      return problemsOf({ services: [Tools] });
    };
    expect(await problemsWith(TakesCaller)).toEqual([
      expect.objectContaining({
        code: 'SIGIL_CAPTIVE_SCOPE',
        where: 'TakesCaller',
        fix: expect.stringContaining('permits'),
      }),
    ]);
    expect(await problemsWith(InjectsPrincipal)).toEqual([
      expect.objectContaining({ code: 'SIGIL_CAPTIVE_SCOPE' }),
    ]);
    expect(await problemsWith(IsOfRequest)).toEqual([
      expect.objectContaining({
        code: 'SIGIL_CAPTIVE_SCOPE',
        where: 'IsOfRequest',
        fix: expect.stringContaining('remove the scope'),
      }),
    ]);
  });

  test('that throws is logged with its cause, and answered with the fixed text', async () => {
    const logger = recordingLogger();
    const client = await open({ services: [Accounts], logger });
    const result = await client.call('sign_up', { name: 'boom' });
    expect(result).toEqual({ content: [{ type: 'text', text: 'Internal error' }], isError: true });
    const error = await client.error('prompts/get', { name: 'greet', arguments: { name: 'boom' } });
    expect(error).toEqual({ code: -32603, message: 'Internal error' });
    for (const line of logger.lines.filter(({ level }) => level === 'error')) {
      const { message, cause } = line.details['err'] as Error;
      expect(message).toBe('a constraint of SignUp.name threw: the secret database is down');
      expect((cause as Error).message).toBe('the secret database is down');
    }
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });
});
