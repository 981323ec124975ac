import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { DevProject } from './dev-project.js';
import { until } from './processes.js';

/** How long compilers and servers may take, on a busy machine. */
const LONG_MS = 60_000;

/** A server with one tool, `run`, which leaves a file behind when it is called. */
const SERVER = `import { writeFileSync } from 'node:fs';
import { createApp, defineTool } from '@sigil/core';
const tool = defineTool({
  name: 'run',
  handle: () => {
    writeFileSync('ran', '');
    return 'done';
  },
});
const app = await createApp({ name: 'dev', version: '1.0.0', definitions: [tool] });
await app.run();
`;

/** The page of a `sigil dev` that runs, and its project. */
export class PageProject {
  private constructor(
    readonly project: DevProject,
    /** Where it is, with its token. */
    readonly url: URL,
  ) {}

  /**
   * Starts `sigil dev` on a new project, and waits until its server is up.
   *
   * @param source the program, in place of one with the tool `run`.
   * @param files what else the project has, by its path.
   */
  static async start(
    source: string = SERVER,
    files: Readonly<Record<string, string>> = {},
  ): Promise<PageProject> {
    const project = await DevProject.create();
    for (const [path, text] of Object.entries({ ...files, 'src/main.ts': source })) project.write(path, text);
    const dev = project.dev();
    await until(() => /sigil: started in/.test(dev.stdout), LONG_MS);
    const [, url = ''] = /sigil: page (\S+)/.exec(dev.stdout) ?? [];
    return new PageProject(project, new URL(url));
  }

  get token(): string {
    return this.url.hash.replace('#token=', '');
  }

  /** Where its server is. */
  get origin(): string {
    return this.url.origin;
  }

  /** Sends a request of the page. */
  ask(path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const authorization = `Bearer ${this.token}`;
    return fetch(new URL(path, this.url), {
      ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
      headers: {
        authorization,
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
  }

  /**
   * Sends bytes as they are.
   *
   * @param lines the lines of a request, without its end.
   * @returns all that comes back within a time, or until the connection is closed.
   */
  async send(lines: readonly string[], body = '', patienceMs = 1_000): Promise<string> {
    const socket = connect(Number(this.url.port), '127.0.0.1');
    const parts: Buffer[] = [];
    socket.on('data', (part: Buffer) => parts.push(part)).on('error', () => undefined);
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    await Promise.race([once(socket, 'close').catch(() => undefined), delay(patienceMs)]);
    socket.destroy();
    return Buffer.concat(parts).toString('latin1');
  }

  close(): Promise<void> {
    return this.project.remove();
  }
}
