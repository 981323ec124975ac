import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const NODE = fileURLToPath(new URL('node.mjs', import.meta.url));

/** Nodes of one app, which come and go. */
export class Fleet {
  nodes = [];
  /** How long a node may take to answer before another one is asked, in milliseconds. */
  patienceMs = 20_000;

  /** Requests that were refused with 503. */
  refused = 0;

  /**
   * @param url of the store; nodes look into their variables without it.
   * @param settings of the nodes: `tasks`, as `createApp` takes them, and `executor`.
   */
  constructor(url = '', notes, settings) {
    this.url = url;
    this.notes = notes;
    this.settings = JSON.stringify(settings);
  }

  /** Starts a node, and waits until it serves. */
  async start(at) {
    const child = spawn(process.execPath, [NODE, this.url, this.notes, this.settings], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const node = { child, address: '', said: '', isPaused: false, ended: once(child, 'close') };
    child.stderr.setEncoding('utf8').on('data', (chunk) => (node.said += chunk));
    this.nodes[at] = node;
    const [line] = await Promise.race([once(child.stdout, 'data'), node.ended.then(() => [''])]);
    node.address = String(line).trim();
    if (!node.address) throw new Error(`a node did not start:\n${node.said}`);
    child.stdout.resume();
    return node;
  }

  /** Ends a node without a word, and starts another one in its place. */
  async kill(at) {
    const { child, ended } = this.nodes[at];
    child.kill('SIGKILL');
    await ended;
    const killedAt = Date.now();
    await this.start(at);
    return { pid: child.pid, killedAt };
  }

  /** Stops a node in the middle of what it does, for a while. */
  async pause(at, ms) {
    const node = this.nodes[at];
    node.isPaused = true;
    node.child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, ms));
    node.child.kill('SIGCONT');
    node.isPaused = false;
    return node.child.pid;
  }

  /**
   * Asks a node, or another one where that does not answer, until there is an answer.
   *
   * @param paramsOf makes the parameters of each attempt: what was asked before may have been done all the same.
   * @param principal who asks.
   */
  async request(random, method, paramsOf, name, principal = 'ada') {
    for (let tries = 0; ; tries += 1) {
      const params = paramsOf(tries);
      const { address, isPaused } = random.pick(this.nodes);
      try {
        if (isPaused) throw new Error('it is paused');
        const response = await fetch(address, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            authorization: `Bearer ${principal}`,
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': method,
            ...(name ? { 'mcp-name': name } : {}),
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
          signal: AbortSignal.timeout(this.patienceMs),
        });
        if (response.status === 503) {
          await response.body?.cancel();
          this.refused += 1;
          const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1_000;
          throw Object.assign(new Error('there is no room'), { retryAfterMs });
        }
        const { result, error } = await response.json();
        if (error) throw Object.assign(new Error(error.message), { isAnswer: true });
        return result;
      } catch (error) {
        if (error.isAnswer || tries > 300) throw error;
        await sleep((error.retryAfterMs ?? 20) + 30 * Math.random());
      }
    }
  }

  /** Ends all of them. */
  async end() {
    for (const { child } of this.nodes) {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
    }
    await Promise.all(this.nodes.map(({ ended }) => ended));
  }
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: { form: {} },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};

/** What the nodes have noted of a kind. */
export async function readNotes(folder, kind) {
  const text = await readFile(join(folder, `${kind}.log`), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
