import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { post } from '../e2e/modern-http.js';
import { CLOSE_DELAY_MS } from '../e2e/proxies.js';
import { until } from '../e2e/processes.js';
import { noRedis, Redis } from '../e2e/redis.js';
import { describePage, textOf } from './guide-page.js';

const KNOWS_TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

if (noRedis === undefined) {
  let redis: Redis;
  beforeAll(async () => {
    redis = await Redis.start();
    process.env['REDIS_URL'] = redis.url;
    process.env['STATE_KEY'] = 'x'.repeat(44);
  });
  afterAll(async () => {
    delete process.env['REDIS_URL'];
    delete process.env['STATE_KEY'];
    await redis.stop();
  });

  describePage('scaling', ({ connect, print, serve }) => {
    test('shows a server whose processes share sessions and tasks', async () => {
      const [one, other] = [await serve('shop.ts', '--http'), await serve('shop.ts', '--http')];
      const pay = { name: 'pay', arguments: { order: 'A-1' } };
      const { taskId } = await post(one.href, 'tools/call', pay, KNOWS_TASKS);
      const get = () => post(other.href, 'tasks/get', { taskId }, KNOWS_TASKS);
      await until(async () => (await get())['status'] === 'completed');
      expect(textOf((await get())['result'] as object)).toMatch(/^A-1 is paid for, by charge-[0-9a-f-]{36}$/);
    });

    test('tells by readiness whether the store answers, and serves what needs none of it meanwhile', async () => {
      const address = await serve('shop.ts', '--http');
      const readyz = new URL('/readyz', address);
      const same = { keys: 'ok', version: 'ok' };
      expect(await (await fetch(readyz)).json()).toEqual({
        status: 'ready',
        checks: { store: 'ok', bus: 'ok', tasks: 'ok', ...same },
      });
      await redis.stop();
      await until(async () => (await fetch(readyz)).status === 503);
      const down = 'does not answer';
      expect(await (await fetch(readyz)).json()).toEqual({
        status: 'unavailable',
        checks: { store: down, bus: down, tasks: down, ...same },
      });
      expect((await fetch(new URL('/health', address))).status).toBe(200);
      const paid = await post(address.href, 'tools/call', { name: 'pay', arguments: { order: 'A-2' } });
      expect(textOf(paid)).toContain('A-2 is paid for');
      await redis.restart();
      await until(async () => (await fetch(readyz)).status === 200);
    });

    test('shows an app that is given parts alone', async () => {
      const client = await connect('parts.ts');
      const result = await client.callTool({ name: 'greet', arguments: { name: 'Ann' } });
      expect(textOf(result)).toBe('Hello, Ann');
    });

    test('prints the tables in the schema that is asked for', async () => {
      expect(await print('print-sql.ts')).toContain('CREATE SCHEMA "shop"');
    });

    test('says how long a process serves on behind haproxy, as its checks are set', () => {
      const page = readFileSync('docs/guide/scaling.md', 'utf8');
      const [, ms = '', inter, fall] = /([\d,]+) with `inter (\d+)ms fall (\d+)`/.exec(page) ?? [];
      expect(Number(ms.replace(',', ''))).toBe(CLOSE_DELAY_MS);
      expect(CLOSE_DELAY_MS).toBe(Number(inter) * Number(fall) + 500);
    });
  });
} else describe.skip(`the page scaling of the guide (${noRedis})`, () => test('is skipped', () => undefined));
