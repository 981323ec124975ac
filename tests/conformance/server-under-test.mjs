/** The server the referee is sent to: a process of its own on a free port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const startLimitMs = 15_000;
const stopLimitMs = 3_000;

/**
 * Starts `node script --http --port N`, runs the callback with its URL, and ends the process whatever happens.
 *
 * @template T
 * @param {string} script
 * @param {(url: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withServer(script, use) {
  const port = await freePort();
  const child = spawn(process.execPath, [script, '--http', '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => (complaint = (complaint + chunk).slice(-4000)));
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  try {
    await listening(child, port, () => complaint);
    // The referee accepts localhost only.
    const result = await use(`http://localhost:${port}/mcp`);
    if (ended(child)) throw new Error(`the server ended while it was tested\n${complaint}`);
    return result;
  } finally {
    await stop(child);
    process.off('exit', end);
  }
}

async function listening(child, port, complaint) {
  const deadline = Date.now() + startLimitMs;
  while (!(await accepts(port))) {
    if (ended(child)) throw new Error(`the server did not start\n${complaint()}`);
    if (Date.now() > deadline) throw new Error(`nothing listens on port ${port}\n${complaint()}`);
    await delay(50);
  }
}

async function stop(child) {
  if (ended(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
  await gone;
  clearTimeout(patience);
}

function ended(child) {
  return child.exitCode !== null || child.signalCode !== null;
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, 'localhost');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
