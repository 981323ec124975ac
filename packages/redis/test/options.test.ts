import { describe, expect, test } from '@jest/globals';
import { createClient } from '@redis/client';
import { redis, type RedisOptions } from '../src/index.js';

const URL = 'redis://127.0.0.1:1';
const nothing = (): void => undefined;

describe('redis()', () => {
  test.each<[string, unknown, RegExp]>([
    ['no options', undefined, /its options must be an object/],
    ['neither an address nor a client', {}, /set exactly one of url, cluster and sentinel, or client alone/],
    [
      'an address and a client',
      { url: URL, client: createClient() },
      /set exactly one of url, cluster and sentinel/,
    ],
    [
      'an address and a cluster',
      { url: URL, cluster: { nodes: [URL] } },
      /set exactly one of url, cluster and sentinel/,
    ],
    ['a cluster that is none', { cluster: [URL] }, /it must be an object with any of nodes/],
    [
      'a cluster without nodes',
      { cluster: { nodes: [] } },
      /redis\(\{ cluster.nodes \}\): it must be a list/,
    ],
    [
      'a cluster with a database',
      { cluster: { nodes: [`${URL}/3`] } },
      /addresses of nodes, without a database number/,
    ],
    ['a misspelt option of a cluster', { cluster: { node: [URL] } }, /write cluster.nodes/],
    [
      'Sentinels without a name',
      { sentinel: { nodes: [URL] } },
      /the name that the Sentinels use for the master/,
    ],
    ['Sentinels without nodes', { sentinel: { name: 'mymaster' } }, /redis\(\{ sentinel.nodes \}\)/],
    [
      'an address of something else',
      { url: 'http://127.0.0.1:1' },
      /redis\(\{ url \}\): it must be the address/,
    ],
    ['an address that is none', { url: 'redis' }, /it must be the address of a Redis/],
    ['an address that is no text', { url: 5 }, /it must be the address of a Redis/],
    ['a client that is none', { client: {} }, /it must be a client from createClient\(\)/],
    ['a prefix with the braces of hash tags', { url: URL, prefix: '{a}' }, /redis\(\{ prefix \}\)/],
    ['an empty prefix', { url: URL, prefix: '' }, /redis\(\{ prefix \}\)/],
    ['a limit that is no number', { url: URL, maxSessions: '5' }, /it must be a positive integer, not '5'/],
    ['a limit of nothing', { url: URL, maxTaskBytes: 0 }, /redis\(\{ maxTaskBytes \}\)/],
    ['a time that no timer keeps', { url: URL, timeoutMs: 2 ** 40 }, /redis\(\{ timeoutMs \}\)/],
    ['an option that does not exist', { url: URL, maxSession: 5 }, /write maxSessions/],
  ])('refuses %s', (_, options, problem) => {
    expect(() => redis(options as RedisOptions)).toThrow(
      expect.objectContaining({ name: 'DefinitionError' }),
    );
    expect(() => redis(options as RedisOptions)).toThrow(problem);
  });

  test('refuses an app whose name cannot be part of a key, unless a prefix is given', async () => {
    const name = 'shop \ud83c';
    expect(() => redis({ url: URL })({ name })).toThrow(
      /redis\(\{ prefix \}\): the name of the app is not valid in the prefix.*\n *Fix: correct createApp\(\{ name \}\)/,
    );
    await redis({ url: URL, prefix: 'shop' })({ name }).close();
    await redis({ url: URL })({ name: 'shop 🌍' }).close();
  });

  test('tells everything that is wrong at once', () => {
    expect(() => redis({ prefix: ' ', maxStates: -1, timeoutMs: 0.5 })).toThrow(/4 problems/);
  });

  test.each<[string, RedisOptions, string]>([
    ['url', { url: `${URL}/1?family=0` }, 'family'],
    ['url', { url: 'unix:///nowhere/redis.sock?db=1&tls=true' }, 'tls'],
    ['cluster.nodes', { cluster: { nodes: [`${URL}?ssl=true`] } }, 'ssl'],
    ['sentinel.nodes', { sentinel: { name: 'mymaster', nodes: [`${URL}?db=1`] } }, 'db'],
  ])('names parameters of its %s that are passed over', async (option, options, parameter) => {
    const lines: unknown[][] = [];
    const logger = {
      debug: nothing,
      info: nothing,
      error: nothing,
      warn: (...line: unknown[]) => void lines.push(line),
    };
    const backend = redis({ ...options, timeoutMs: 200 })({ name: 'test' });
    await backend.open?.(logger);
    await backend.close();
    const message = expect.stringMatching(`^redis\\(\\{ ${option} \\}\\) ignores unknown parameters`);
    expect(lines).toContainEqual([{ parameters: [parameter] }, message]);
  });

  test('connects to nothing by itself', async () => {
    const backend = redis({ url: URL })({ name: 'test' });
    expect(backend.name).toBe('redis');
    await backend.close();
  });
});
