import { expect, test } from '@jest/globals';
import type { RequestHead } from '../src/authorization.js';
import { withSource } from '../src/index.js';

test('authenticate is told of another source, and of all else as it is', () => {
  const told: RequestHead[] = [];
  const { authenticate } = withSource(
    (head) => {
      told.push(head);
      return undefined;
    },
    (source) => ({ of: source }),
  );
  let asked = 0;
  const head = {
    headers: { host: 'mcp.example.com' },
    method: 'POST',
    url: '/mcp',
    source: 'raw',
    get quotaKey() {
      asked++;
      return 'address 192.0.2.1';
    },
  };
  void authenticate?.(head);
  // Few need it, and it takes a while to make.
  expect(asked).toBe(0);
  expect({ ...told[0] }).toEqual({ ...head, source: { of: 'raw' } });
  expect(withSource(undefined, String)).toEqual({});
});
