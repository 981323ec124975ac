import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Answers } from './answers.js';
import { Calls } from './calls.js';
import { type Place, STATELESS_VERSION } from './clients.js';
import { isAlive, until } from './processes.js';
import { WireTap } from './wire-tap.js';

const INFO = { name: 'full-client', version: '1.0.0' };
const CAPABILITIES = {
  elicitation: { form: { applyDefaults: true }, url: {} },
  sampling: {},
  roots: { listChanged: true },
};

/** Which official client. */
export type Generation = 'v1' | 'v2';

/** What both clients can do beyond calls, under the same names. */
interface Common {
  setLoggingLevel(level: string): Promise<unknown>;
  subscribeResource(params: { uri: string }): Promise<unknown>;
  unsubscribeResource(params: { uri: string }): Promise<unknown>;
  sendRootsListChanged(): Promise<void>;
  close(): Promise<void>;
}

/** An official client that can do all a client can, with its wire laid open. */
export class FullClient {
  readonly calls: Calls;
  readonly common: Common;

  constructor(
    client: ClientV1 | ClientV2,
    readonly tap: WireTap,
    readonly answers: Answers,
    private readonly pid: number | undefined,
  ) {
    this.calls = new Calls(client);
    this.common = client as unknown as Common;
  }

  /** Closes the connection and, over stdio, waits until the server has gone. */
  async close(): Promise<void> {
    await this.common.close();
    const { pid } = this;
    if (pid !== undefined) await until(() => !isAlive(pid));
  }
}

/** Connects a full client that asks for a revision; in a session over HTTP its stream for notifications is open then. */
export async function connectFull(
  generation: Generation,
  version: string,
  place: Place,
): Promise<FullClient> {
  const streams = new Streams();
  const answers = new Answers();
  const transport = open(generation, place, streams.fetch);
  const tap = new WireTap(transport, version);
  const client = generation === 'v1' ? makeV1(answers) : makeV2(answers, version);
  // The packages' own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<ClientV1['connect']>[0] & Parameters<ClientV2['connect']>[0]);
  if ('address' in place && version !== STATELESS_VERSION) await until(() => streams.open > 0);
  const pid = 'pid' in transport && typeof transport.pid === 'number' ? transport.pid : undefined;
  return new FullClient(client, tap, answers, pid);
}

/** Counts the streams a client has opened by GET. */
class Streams {
  open = 0;

  readonly fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    if ((init?.method ?? 'GET') === 'GET' && response.ok) this.open += 1;
    return response;
  };
}

function open(generation: Generation, place: Place, fetch: Streams['fetch']): object {
  if ('address' in place) {
    const url = new URL(place.address);
    return generation === 'v1' ? new HttpV1(url, { fetch }) : new HttpV2(url, { fetch });
  }
  const args = [place.script, ...(place.args ?? [])];
  const command = { command: process.execPath, args, stderr: 'ignore' as const };
  return generation === 'v1' ? new StdioV1(command) : new StdioV2(command);
}

function makeV1(answers: Answers): ClientV1 {
  const client = new ClientV1(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, () => answers.elicit());
  client.setRequestHandler(CreateMessageRequestSchema, () => answers.sample());
  client.setRequestHandler(ListRootsRequestSchema, () => answers.listRoots());
  return client;
}

function makeV2(answers: Answers, version: string): ClientV2 {
  const mode = version === STATELESS_VERSION ? { pin: version } : 'legacy';
  const client = new ClientV2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', () => answers.elicit());
  client.setRequestHandler('sampling/createMessage', () => answers.sample());
  client.setRequestHandler('roots/list', () => answers.listRoots());
  return client;
}
