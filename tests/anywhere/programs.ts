import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import split from 'split2';
import type { Answer, ContractClient, Era, Message } from '../contract/client.js';
import { ConnectionClient } from '../contract/connection-client.js';
import { HttpClient } from '../contract/http-client.js';
import { startProgram } from '../e2e/frameworks/program.js';

/** How to start a program: the runtime with its arguments, and the file. */
export type Command = readonly [program: string, ...args: string[]];

/** A server that clients are connected to, one after the other. */
export interface Running {
  connect(era: Era): Promise<ContractClient>;
  /** Where it is, over HTTP. */
  readonly address?: string;
  end(): Promise<void>;
}

const ADA: Answer = () => ({ action: 'accept', content: { name: 'Ada' } });

/** A server at an address. */
export function at(address: string, end: () => Promise<void>): Running {
  return {
    address,
    connect: (era) => new HttpClient(era, address, () => Promise.resolve(), ADA).greet(),
    end,
  };
}

/** What a program is started with besides: tsx looks for settings where it is told, and else where it is started. */
export function besides(args: readonly string[]): Readonly<Record<string, string>> {
  return { TSX_TSCONFIG_PATH: join(dirname(args.at(-1) ?? ''), 'tsconfig.json') };
}

/** Starts a program that serves over HTTP, and prints where. */
export async function overHttp([program, ...args]: Command): Promise<Running> {
  const running = startProgram(program, [...args, '--http', '--port', '0'], besides(args));
  return at(await running.line('http://'), () => running.kill());
}

/** Starts a program for each client, over its standard streams. */
export async function overStdio([program, ...args]: Command): Promise<Running> {
  const children: ChildProcess[] = [];
  return {
    async connect(era) {
      const { NODE_OPTIONS: _options, ...env } = process.env;
      const child = spawn(program, args, {
        env: { ...env, ...besides(args) },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      children.push(child);
      const ended = once(child, 'close');
      const line = {
        send: (message: unknown) => void child.stdin.write(`${JSON.stringify(message)}\n`),
        async close() {
          child.stdin.end();
          await ended;
        },
      };
      const client = new ConnectionClient(era, line, ADA);
      child.stdout.pipe(split()).on('data', (text: string) => client.receive(JSON.parse(text) as Message));
      const failed = ended.then(([code]) => {
        throw new Error(`${program} ended with ${String(code)}`);
      });
      failed.catch(() => undefined);
      await Promise.race([client.greet(), failed]);
      return client;
    },
    async end() {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill('SIGKILL');
        await once(child, 'close');
      }
    },
  };
}
