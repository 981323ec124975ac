import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, until } from './processes.js';

/** A load balancer that gives every request to the next of some servers. */
export interface Proxy {
  /** Where it listens, without a path. */
  readonly origin: string;
  /** Has it send requests to these ports alone, as an operator does before a server is ended. */
  use(ports: readonly number[]): Promise<void>;
  /** Ends it. */
  stop(): Promise<void>;
}

/** The programs there are. */
export type ProxyName = 'nginx' | 'haproxy';

/** Why a load balancer cannot be started here; undefined where it can. */
export function missing(name: ProxyName): string | undefined {
  return spawnSync(name, ['-v']).error ? `no ${name}: it is not installed` : undefined;
}

/** Starts one in front of servers on this machine, by their ports. */
export async function startProxy(name: ProxyName, ports: readonly number[]): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const port = await freePort();
  const file = join(folder, `${name}.conf`);
  await writeFile(file, CONFIGURATIONS[name](port, ports, folder));
  const args = name === 'nginx' ? ['-c', file, '-p', folder, '-g', 'daemon off;'] : ['-f', file, '-db'];
  const child = spawn(name, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const ended = once(child, 'close');
  const origin = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(() => {
      if (child.exitCode !== null) throw new Error(`${name} did not start:\n${said}`);
      return fetch(origin).then(
        () => true,
        () => false,
      );
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const use = async (left: readonly number[]): Promise<void> => {
    // The other one asks each server whether it is ready.
    if (name === 'haproxy') return;
    await writeFile(file, CONFIGURATIONS[name](port, left, folder));
    child.kill('SIGHUP');
    // Its old workers serve what they have begun.
    await new Promise((resolve) => setTimeout(resolve, 500));
  };
  return { origin, use, stop };
}

/** The configurations that the inventory is shown with. */
const SITE = fileURLToPath(new URL('../../apps/inventory/nginx.conf', import.meta.url));
const HAPROXY = fileURLToPath(new URL('../../apps/inventory/haproxy.cfg', import.meta.url));

/** How long a node serves after it was told to end, in milliseconds, as the guide says: until haproxy has noticed, and half a second. */
export const CLOSE_DELAY_MS: number = (() => {
  const [, inter, fall] = /check inter (\d+)ms fall (\d+)/.exec(readFileSync(HAPROXY, 'utf8')) ?? [];
  return Number(inter) * Number(fall) + 500;
})();

/** What makes each of them send every request to the next server, and a request that reached none to another one. */
const CONFIGURATIONS: Readonly<
  Record<ProxyName, (port: number, ports: readonly number[], folder: string) => string>
> = {
  nginx: (port, ports, folder) => `
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  ${siteOf(port, ports)}
}
`,
  haproxy: haproxyOf,
};

/** The site with addresses of this machine. */
function siteOf(port: number, ports: readonly number[]): string {
  const nodes: string[] = [];
  const site = readFileSync(SITE, 'utf8')
    .replace(/^ *listen .*$/gm, `listen 127.0.0.1:${port};`)
    .replace(/^ *server inventory-\d+:3000(.*);\n/gm, (_line, settings: string) => {
      nodes.push(settings);
      return '';
    });
  const servers = ports.map((each) => `server 127.0.0.1:${each}${nodes[0] ?? ''};`).join(' ');
  return site.replace('upstream nodes {', `upstream nodes { ${servers}`);
}

/** The configuration of haproxy with addresses of this machine. */
function haproxyOf(port: number, ports: readonly number[]): string {
  const shown = readFileSync(HAPROXY, 'utf8').replace(/^ *bind .*$/m, `  bind 127.0.0.1:${port}`);
  const [settings = ''] = /(?<=^ *server inventory-1 inventory-1:3000) .*$/m.exec(shown) ?? [];
  const servers = ports.map((each, at) => `  server node${at} 127.0.0.1:${each}${settings}`).join('\n');
  return `${shown.replace(/^ *server inventory-.*\n/gm, '')}${servers}\n`;
}
