import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Child } from '../../src/dev/child.js';
import { gone, isAlive } from '../processes.js';

/** A process that goes on, whatever it is told but SIGKILL. */
const STUBBORN = `process.on('SIGTERM', () => 0); setInterval(() => 0, 1000); console.log(process.pid)`;
/** A process that starts such a one, and says its id. */
const PARENT = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(STUBBORN)}], { stdio: 'inherit' })`;

const pids: number[] = [];
afterEach(() => {
  for (const pid of pids.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

/** Starts a program. @returns it, and the id of the process that it starts. */
async function start(program: string): Promise<{ readonly child: Child; readonly started: number }> {
  let said = (_line: string): void => undefined;
  const line = new Promise<string>((resolve) => (said = resolve));
  const command = { command: process.execPath, args: ['-e', program], cwd: process.cwd(), env: process.env };
  const child = new Child(command, { out: (text) => said(text), err: () => undefined });
  const started = Number(await line);
  pids.push(started);
  return { child, started };
}

describe('what a program has started', () => {
  test('ends with it when it is asked to end', async () => {
    const { child, started } = await start(`${PARENT}; setInterval(() => 0, 1000)`);
    expect(isAlive(started)).toBe(true);
    await child.end();
    await gone(started);
    expect(child.isRunning).toBe(false);
  });

  test('ends when it has ended by itself', async () => {
    // Once the other one says its id it is there, and hears nothing.
    const leaves = `.stdout.once('data', (id) => (console.log(String(id).trim()), process.exit(3)))`;
    const { child, started } = await start(
      PARENT.replace(`'inherit'`, `['ignore', 'pipe', 'ignore']`) + leaves,
    );
    expect(await child.ended).toBe('exit code 3');
    await gone(started);
    expect(child.wasAsked).toBe(false);
  });

  test('ends at once when it is killed', async () => {
    const { child, started } = await start(`${PARENT}; process.on('SIGTERM', () => 0)`);
    child.kill();
    expect(await child.ended).toBe('SIGKILL');
    await gone(started);
  });

  test('ends with this process, however it ends', async () => {
    const script = `
      const { Child } = await import(${JSON.stringify(new URL('../../dist/dev/child.js', import.meta.url).href)});
      const args = ['-e', ${JSON.stringify(STUBBORN)}];
      new Child({ command: process.execPath, args, cwd: process.cwd(), env: process.env }, {
        out: (pid) => {
          console.log(pid);
          setTimeout(() => { throw new Error('a mistake'); }, 100);
        },
        err: () => undefined,
      });`;
    const ours = spawn(process.execPath, ['--input-type=module', '-e', script]);
    const [said] = (await once(ours.stdout, 'data')) as [Buffer];
    pids.push(Number(said));
    await gone(Number(said));
  });
});
