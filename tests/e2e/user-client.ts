import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { LoggedInUser, withLogIn } from './log-in.js';

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

const opened: UserClient[] = [];

/** Closes every client that was opened here. */
export async function closeUsers(): Promise<void> {
  await Promise.all(opened.splice(0).map((client) => client.close()));
}

/** Connects a client whose user logs in when it is asked to. */
export async function openUser(
  address: string,
  user = new LoggedInUser(),
  mode?: 'auto' | 'legacy',
): Promise<UserClient> {
  const client = new UserClient(address, user, mode);
  opened.push(client);
  await client.connect();
  return client;
}
