import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const run = promisify(execFile);

/** A tool that is called, with its arguments. */
export type Call = readonly [name: string, given?: Readonly<Record<string, unknown>>];

/** Starts a program, and ends it when a client has done something with it. */
async function withClient<T>(program: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program], stderr: 'inherit' }),
  );
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** The texts that the tools of a program answer with. */
export function answersOf(program: string, calls: readonly Call[]): Promise<unknown[]> {
  return withClient(program, async (client) => {
    const answers: unknown[] = [];
    for (const [name, given = {}] of calls) {
      const { content } = await client.callTool({ name, arguments: given });
      answers.push((content as { text: string }[])[0]?.text);
    }
    return answers;
  });
}

/** What a program lists as its tools. */
export function listed(program: string): Promise<unknown> {
  return withClient(program, async (client) => (await client.listTools()).tools);
}

/** What a program that does not start says. */
export async function refusal(program: string): Promise<string> {
  const failed = await run(process.execPath, [program], { timeout: 20_000 }).then(
    () => ({ stderr: 'it started' }),
    (error: { stderr: string }) => error,
  );
  return failed.stderr;
}
