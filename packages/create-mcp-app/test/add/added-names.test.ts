import { describe, expect, test } from '@jest/globals';
import { createApp, Service, Tool } from '@sigil/core';
import { connect } from '@sigil/testing';
import { namesFrom } from '../../src/add/added-names.js';

describe('names of what is added', () => {
  test.each(['getWeather', 'get-weather', 'get_weather', 'Get Weather', 'GetWeather', ' get--weather '])(
    'are the same however they are said: %s',
    (said) => {
      expect(namesFrom(said)).toEqual({
        kebab: 'get-weather',
        className: 'GetWeather',
        method: 'getWeather',
        served: 'get_weather',
      });
    },
  );

  test('keep abbreviations and digits together', () => {
    expect(namesFrom('HTTPServer')).toMatchObject({ kebab: 'http-server', className: 'HttpServer' });
    expect(namesFrom('top10List')).toMatchObject({ kebab: 'top10-list', served: 'top10_list' });
  });

  test.each(['getWeather', 'get-a-book', 'top10-list', 'a-b', 'x', 'list-2-items', 'HTTPServer'])(
    'are served as the decorators serve them: %s',
    async (said) => {
      const { method, served } = namesFrom(said);
      class Sample {
        [method](): string {
          return '';
        }
      }
      const descriptor = Object.getOwnPropertyDescriptor(Sample.prototype, method) ?? {};
      Reflect.defineMetadata('design:paramtypes', [], Sample.prototype, method);
      Tool()(Sample.prototype, method, descriptor);
      Service()(Sample);
      const app = await createApp({ name: 'names', version: '1.0.0', services: [Sample] });
      const client = await connect(app);
      expect((await client.listTools()).map(({ name }) => name)).toEqual([served]);
      await client.close();
    },
  );

  test.each(['', '3-things', '../secrets', 'a/b', "it's", 'wetter-für-morgen', '-'])(
    'begin with a letter and have nothing that code cannot have: %j',
    (said) => {
      expect(() => namesFrom(said)).toThrow(`'${said}' is not a valid name for a class`);
    },
  );

  test('have at most 64 characters', () => {
    expect(namesFrom('a'.repeat(64)).kebab).toHaveLength(64);
    expect(() => namesFrom('a'.repeat(65))).toThrow('a name has at most 64 characters, not 65');
  });

  test.each(['constructor', 'toString', 'has-own-property'])('are none that every object has: %s', (said) => {
    expect(() => namesFrom(said)).toThrow('is the name of a member that every object has:');
  });

  test.each(['service', 'promise', 'prompt-message'])('are none that the added file uses: %s', (said) => {
    expect(() => namesFrom(said)).toThrow(
      /^the added file already uses the name \w+: choose a name other than /,
    );
  });
});
