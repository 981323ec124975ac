import { expect, test } from '@jest/globals';
import { chooseRuntime } from '../src/runtime.js';

test.each([
  [['--port', 'http'], {}, "'http' is no port"],
  [[], { PORT: '65536' }, "'65536' is no port"],
  [['--prot', '3000'], {}, '--prot'],
])('refuses %j with %j', (args, env, message) => {
  expect(() => chooseRuntime(args, env)).toThrow(message);
});

test.each([
  [['--stdio'], {}],
  [[], { MCP_TRANSPORT: 'stdio' }],
])('for %j with %j chooses stdio', (args, env) => {
  expect(chooseRuntime(args, env).name).toBe('stdio');
});
