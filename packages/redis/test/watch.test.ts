import { expect, test } from '@jest/globals';
import type { Gauge } from '@sigil/core';
import { until } from '../../../tests/contract/backend/waiting.js';
import { redis as redisBackend } from '../src/index.js';
import { describeWithRedis } from './fixtures/servers.js';

describeWithRedis('a backend on Redis that is watched', (redis) => {
  test('counts connections that are made again, and not the first ones', async () => {
    const backend = redisBackend({ ...redis().place, prefix: 'watched' })({ name: 'watched' });
    const gauges: Gauge[] = [];
    backend.watch?.({
      isActive: true,
      storeAsked: () => undefined,
      addGauge: (gauge) => void gauges.push(gauge),
    });
    redis().after(() => backend.close());
    await backend.open?.({ debug() {}, info() {}, warn() {}, error() {} });
    const [{ read } = { read: () => [] }] = gauges;
    expect(gauges).toMatchObject([{ name: 'sigil.store.reconnects', isCounter: true }]);
    const attributes = { 'sigil.store.backend': 'redis' };
    expect(await read()).toEqual([{ value: 0, attributes }]);
    await redis().connect().send('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await until(async () => ((await read())[0]?.value ?? 0) > 0);
    await backend.check();
    expect(await read()).toEqual([{ value: 1, attributes }]);
  });
});
