import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { addressFor, isTaken, untilTaken } from '../../src/dev/dev-server.js';

describe('the address of a server', () => {
  test.each([
    [['--http', '--port', '3100'], { host: '127.0.0.1', port: 3100 }],
    [['--port=3100', '--http', '--host=::1'], { host: '::1', port: 3100 }],
    [['--http', '--port', '3100', '--host', '0.0.0.0'], { host: '127.0.0.1', port: 3100 }],
    [['--http', '--port', '0'], undefined],
    [['--http', '--port', 'many'], undefined],
    [['--http', '--port'], undefined],
    [['--stdio'], undefined],
    [[], undefined],
  ])('for %j is %j', (args, address) => {
    expect(addressFor(args, { PORT: 'none' })).toEqual(address);
  });

  test('is taken from the environment where arguments do not say it', () => {
    const env = { PORT: '4000', HOST: 'localhost' };
    expect(addressFor(['--http'], env)).toEqual({ host: 'localhost', port: 4000 });
    expect(addressFor(['--http'], {})).toEqual({ host: '127.0.0.1', port: 3000 });
  });
});

test('a port is taken while somebody listens on it, and can be waited for', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  expect(await isTaken(address)).toBe(true);
  expect(await untilTaken(address, true, () => true)).toBe(true);
  const free = untilTaken(address, false, () => true);
  await new Promise((resolve) => server.close(resolve));
  expect(await free).toBe(true);
  expect(await isTaken(address)).toBe(false);
  const patience = [true, true, false];
  expect(await untilTaken(address, true, () => patience.shift() === true)).toBe(false);
});
