import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Answers } from './answers.js';
import { Calls } from './calls.js';
import type { Place } from './clients.js';
import { WireTap } from './wire-tap.js';

/** How the official client v2 comes to speak 2026-07-28: it asks the server what it speaks, or takes it for granted. */
export const MODERN_MODES = ['auto', 'pinned'] as const;

/** An official client v2 that speaks 2026-07-28 and can do all a client can, with its wire laid open. */
export interface ModernClient {
  readonly client: Client;
  readonly calls: Calls;
  readonly answers: Answers;
  readonly tap: WireTap;
}

/** Connects one. */
export async function connectModern(
  mode: (typeof MODERN_MODES)[number],
  place: Place,
): Promise<ModernClient> {
  const answers = new Answers();
  const client = new Client(
    { name: 'modern-client', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: { applyDefaults: true }, url: {} }, sampling: {}, roots: {} },
      versionNegotiation: { mode: mode === 'auto' ? 'auto' : { pin: '2026-07-28' } },
    },
  );
  client.setRequestHandler('elicitation/create', () => answers.elicit());
  client.setRequestHandler('sampling/createMessage', () => answers.sample());
  client.setRequestHandler('roots/list', () => answers.listRoots());
  const transport = open(place);
  const tap = new WireTap(transport, '2025-11-25');
  await client.connect(transport);
  return { client, calls: new Calls(client), answers, tap };
}

function open(place: Place): StreamableHTTPClientTransport | StdioClientTransport {
  if ('address' in place) return new StreamableHTTPClientTransport(new URL(place.address));
  const args = [place.script, ...(place.args ?? [])];
  return new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
}
