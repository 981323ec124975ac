import { expect, test } from '@jest/globals';
import { createApp } from '@sigil/core';
import { nextHandlers } from '@sigil/next';

const request = (): Request => new Request('http://localhost/api/mcp', { method: 'OPTIONS' });

test('makes the app when the first request comes, once', async () => {
  let made = 0;
  const { OPTIONS, GET } = nextHandlers(() => {
    made += 1;
    return createApp({ name: 'shop', version: '1.0.0' });
  });
  expect(made).toBe(0);
  await Promise.all([OPTIONS(request()), OPTIONS(request()), GET(request())]);
  expect(made).toBe(1);
});

test('makes it again after it could not be made, and not after it has been closed', async () => {
  let tries = 0;
  const { OPTIONS, close } = nextHandlers(async () => {
    tries += 1;
    if (tries === 1) throw new Error('the database is away');
    return createApp({ name: 'shop', version: '1.0.0' });
  });
  await expect(OPTIONS(request())).rejects.toThrow('the database is away');
  expect((await OPTIONS(request())).status).toBe(204);
  await close();
  expect((await OPTIONS(request())).status).toBe(503);
});

test('says which options are wrong', async () => {
  const app = () => createApp({ name: 'shop', version: '1.0.0' });
  const { OPTIONS } = nextHandlers(app, { allowedHosts: ['https://shop.example'] });
  await expect(OPTIONS(request())).rejects.toThrow(
    /nextHandlers.*'https:\/\/shop.example' must be a name without scheme/s,
  );
});
