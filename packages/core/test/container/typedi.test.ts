import { describe, expect, test } from '@jest/globals';
import { Container as Typedi, Service as TypediService } from 'typedi';
import { type App, Inject, Service, InjectionToken, Tool } from '../../src/index.js';
import { appOf, openSession, textOf } from '../harness.js';

const show = async (app: App, name = 'show'): Promise<unknown> =>
  textOf(await (await openSession(app)).call(name));

describe("what typedi's own ways register", () => {
  test('a decorated class is made, with its dependencies', async () => {
    @TypediService()
    class Clock {
      readonly now = 12;
    }
    @TypediService()
    class Times {
      constructor(private readonly clock: Clock) {}
      @Tool()
      show() {
        return this.clock.now;
      }
    }
    expect(await show(await appOf({ services: [Times] }))).toBe('12');
  });

  test('a transient class is transient', async () => {
    let made = 0;
    @TypediService({ transient: true })
    class Times {
      readonly number = (made += 1);
      @Tool()
      show() {
        return this.number;
      }
    }
    const app = await appOf({ services: [Times] });
    expect([await show(app), await show(app)]).toEqual(['1', '2']);
  });

  test('a property with @Inject is filled', async () => {
    @Service()
    class Clock {
      readonly now = 12;
    }
    @Service()
    class Times {
      @Inject() private readonly clock!: Clock;
      @Tool()
      show() {
        return this.clock.now;
      }
    }
    Reflect.defineMetadata('design:type', Clock, Times.prototype, 'clock');
    expect(await show(await appOf({ services: [Times] }))).toBe('12');
  });

  test('values by token, by name and by class are found', async () => {
    const TOKEN = new InjectionToken<string>('GREETING');
    class Settings {
      readonly text: string = 'made by the container';
    }
    class Special extends Settings {
      override readonly text = 'set by hand';
    }
    Typedi.set(TOKEN, 'by token');
    Typedi.set('greeting.name', 'by name');
    Typedi.set(Settings, new Special());
    @Service()
    class Greetings {
      constructor(
        @Inject(TOKEN) private readonly first: string,
        @Inject('greeting.name') private readonly second: string,
        private readonly settings: Settings,
      ) {}
      @Tool()
      show() {
        return [this.first, this.second, this.settings.text].join(', ');
      }
    }
    expect(await show(await appOf({ services: [Greetings] }))).toBe('by token, by name, set by hand');
  });

  test('a class registered by a token is made by each app for itself', async () => {
    const TOKEN = new InjectionToken<object>('STORE');
    let made = 0;
    @TypediService({ id: TOKEN })
    class Store {
      readonly number = (made += 1);
    }
    @Service()
    class Stores {
      constructor(@Inject(TOKEN) private readonly store: Store) {}
      @Tool()
      show() {
        return this.store.number;
      }
    }
    const [one, other] = [await appOf({ services: [Stores] }), await appOf({ services: [Stores] })];
    expect([await show(one), await show(other)]).toEqual(['1', '2']);
  });

  test('a factory is run by each app for itself', async () => {
    let made = 0;
    class Connection {
      constructor(readonly number: number) {}
    }
    const register = TypediService({ factory: () => new Connection((made += 1)) }) as ClassDecorator;
    register(Connection);
    @Service()
    class Connections {
      constructor(private readonly connection: Connection) {}
      @Tool()
      show() {
        return this.connection.number;
      }
    }
    const [one, other] = [await appOf({ services: [Connections] }), await appOf({ services: [Connections] })];
    expect([await show(one), await show(one), await show(other)]).toEqual(['1', '1', '2']);
  });
});
