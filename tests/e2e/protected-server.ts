import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type LoggedInUser, withLogIn } from './log-in.js';
import { freePort, ServerProcess, until } from './processes.js';

const SERVER = new URL('./fixtures/protected-server.mjs', import.meta.url).pathname;

/** Whether there is an answer, whatever it is. */
export const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

/** A server behind an authorization server. */
export interface Protected {
  readonly address: string;
  readonly process: ServerProcess;
}

/** Starts one. @param options those of `oauth()`. @param env further variables that the fixture reads. */
export async function startProtected(
  { issuer }: { readonly issuer: string },
  options: object = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Protected> {
  const port = Number(env['PORT'] ?? (await freePort()));
  const OPTIONS = JSON.stringify({ issuers: [issuer], ...options });
  const process = new ServerProcess(SERVER, [], { ...env, PORT: String(port), OPTIONS });
  const address = `http://127.0.0.1:${port}/mcp`;
  await until(() => {
    if (process.child.exitCode !== null) throw new Error(process.stderr);
    return answers(address);
  });
  return { address, process };
}

/** The official client, whose user logs in when that is needed. */
export class UserClient {
  #client: Client;
  #transport: StreamableHTTPClientTransport;

  constructor(
    private readonly address: string,
    readonly user: LoggedInUser,
    private readonly mode: 'auto' | 'legacy' = 'auto',
  ) {
    [this.#client, this.#transport] = this.#make();
  }

  #make(): [Client, StreamableHTTPClientTransport] {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: this.mode } },
    );
    return [client, new StreamableHTTPClientTransport(new URL(this.address), { authProvider: this.user })];
  }

  connect(): Promise<void> {
    const finish = async (callback: URLSearchParams): Promise<void> => {
      await this.#transport.finishAuth(callback);
      [this.#client, this.#transport] = this.#make();
    };
    return withLogIn(this.user, finish, () => this.#client.connect(this.#transport));
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const finish = (callback: URLSearchParams): Promise<void> => this.#transport.finishAuth(callback);
    const { content } = await withLogIn(this.user, finish, () =>
      this.#client.callTool({ name, arguments: args }),
    );
    return String((content as readonly { readonly text?: unknown }[])[0]?.text);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
