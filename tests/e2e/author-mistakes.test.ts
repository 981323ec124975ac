import { afterEach, expect, test } from '@jest/globals';
import { textOf } from './legacy-session.js';
import { endProcesses, ServerProcess, until } from './processes.js';

afterEach(endProcesses);

const VERSIONS = ['2025-11-25', '2026-07-28'];
const CAPABILITIES = { elicitation: { form: {} } };

/** A client that writes lines, and reads what comes for its requests. */
class LineClient {
  readonly server = new ServerProcess(new URL('fixtures/mistaken-server.mjs', import.meta.url).pathname);
  #next = 1;

  constructor(private readonly version: string) {}

  async open(): Promise<void> {
    if (this.version !== '2025-11-25') return;
    const clientInfo = { name: 'reader', version: '1' };
    await this.request('initialize', {
      protocolVersion: this.version,
      capabilities: CAPABILITIES,
      clientInfo,
    });
    this.server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Sends a request. @returns its id. */
  send(method: string, params: object): number {
    const id = this.#next++;
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': this.version,
      'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
    };
    const stamped = this.version === '2025-11-25' ? params : { ...params, _meta: envelope };
    this.server.send({ jsonrpc: '2.0', id, method, params: stamped });
    return id;
  }

  /** Gives the answer to a request; questions that come meanwhile are declined. */
  async request(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const from = this.server.messages().length;
    const id = this.send(method, params);
    const declined = new Set<unknown>();
    const answer = () => {
      if (this.server.child.exitCode !== null)
        throw new Error(`the server ended: ${this.server.stderr.slice(-2000)}`);
      const messages = this.server.messages().slice(from);
      for (const message of messages) {
        if (message['method'] !== 'elicitation/create' || declined.has(message['id'])) continue;
        declined.add(message['id']);
        this.server.send({ jsonrpc: '2.0', id: message['id'], result: { action: 'decline' } });
      }
      return messages.find((message) => message['id'] === id && message['method'] === undefined);
    };
    await until(() => answer() !== undefined);
    return answer() as Record<string, unknown>;
  }
}

/** Where an error comes to nothing but Node, which ends a process for it: its state is unknown. */
const ENDINGS = [
  'throws-in-a-timer',
  'throws-in-an-interval',
  'throws-in-an-immediate',
  'throws-in-the-next-tick',
  'throws-in-a-microtask',
  'emits-an-error-event-that-nothing-hears',
  'leaves-a-stream-whose-error-nothing-hears',
  'leaves-a-socket-whose-error-nothing-hears',
  'leaves-a-child-whose-error-nothing-hears',
];

test.each(ENDINGS)('only an error that comes to Node alone ends the server: %s', async (name) => {
  const client = new LineClient('2026-07-28');
  const told = await client.request('tools/call', { name: 'endings', arguments: {} });
  expect(textOf(told)?.split(' ')).toEqual(ENDINGS);
  client.send('tools/call', { name, arguments: {} });
  expect(await client.server.ended).toEqual({ code: 1, signal: null });
});

test.each(VERSIONS)(
  'no other mistake of an author ends the server, and every call is answered, in %s',
  async (version) => {
    const client = new LineClient(version);
    await client.open();
    // A list would but look shorter without the tools whose guards fail.
    expect(await client.request('tools/list')).toMatchObject({ error: { code: -32603 } });
    const told = await client.request('tools/call', { name: 'names', arguments: {} });
    const names = textOf(told)?.split(' ') ?? [];
    expect(names.length).toBeGreaterThan(150);
    for (const name of names) {
      const answer = await client.request('tools/call', { name, arguments: {} });
      expect([name, typeof (answer['result'] ?? answer['error'])]).toEqual([name, 'object']);
    }
    const completion = {
      ref: { type: 'ref/prompt', name: 'completed' },
      argument: { name: 'what', value: '' },
    };
    const others: [string, object][] = [
      ['resources/read', { uri: 'mistake://cycle' }],
      ['resources/read', { uri: 'mistake://contents' }],
      ['prompts/get', { name: 'messages' }],
      ['completion/complete', completion],
    ];
    if (version === '2025-11-25') {
      others.push(['resources/subscribe', { uri: 'mistake://cycle' }]);
      others.push(['resources/unsubscribe', { uri: 'mistake://cycle' }]);
    }
    for (const [method, params] of others) {
      const answer = await client.request(method, params);
      expect([method, typeof (answer['result'] ?? answer['error'])]).toEqual([method, 'object']);
    }
    const well = await client.request('tools/call', { name: 'well', arguments: {} });
    expect(well).toMatchObject({ result: { content: [{ text: 'well' }] } });
    // Whatever was begun and forgotten has had the time to fail.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(client.server.child.exitCode).toBeNull();
    client.server.child.stdin.end();
    expect(await client.server.ended).toEqual({ code: 0, signal: null });
  },
  60_000,
);
