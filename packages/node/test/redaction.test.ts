import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { streamLogger } from '../src/stream-logger.js';

function logged(details: object): Record<string, unknown> {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  streamLogger(stream).error(details, 'it failed');
  return JSON.parse(written.join('')) as Record<string, unknown>;
}

test('an error is logged without what its class has added', () => {
  const error = Object.assign(new Error('Request failed'), {
    code: 'ECONNREFUSED',
    config: { headers: { Authorization: 'Bearer secret' } },
  });
  const { err } = logged({ err: error });
  expect(err).toMatchObject({ name: 'Error', message: 'Request failed', code: 'ECONNREFUSED' });
  expect(JSON.stringify(err)).not.toContain('secret');
});

test.each(['authorization', 'Cookie', 'password', 'apiKey', 'api_key', 'accessToken', 'clientSecret'])(
  'a text under the name %s is replaced',
  (name) => {
    expect(logged({ request: { [name]: 'abc123', path: '/mcp' } })['request']).toEqual({
      [name]: '[redacted]',
      path: '/mcp',
    });
  },
);
