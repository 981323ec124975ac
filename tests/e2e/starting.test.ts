import { afterEach, describe, expect, test } from '@jest/globals';
import { endProcesses, ServerProcess } from './processes.js';
import { fixture } from './sigil-command.js';

afterEach(endProcesses);

describe('a program whose definitions are wrong', () => {
  test('prints each problem once', async () => {
    const server = new ServerProcess(fixture('broken-server.mjs'));
    expect((await server.ended).code).toBe(1);
    for (const name of ['my tool', 'your tool'])
      expect(server.stderr.split(`'${name}' is not a valid name`)).toHaveLength(2);
    expect(server.stderr).toContain("code: 'SIGIL_INVALID_DEFINITIONS'");
  });
});
