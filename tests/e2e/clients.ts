import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const INFO = { name: 'e2e-client', version: '1.0.0' };
const ANSWER = { action: 'accept' as const, content: { name: 'Ada' } };
const CAPABILITIES = { elicitation: {} };

/** Where a server is: a script to start, or an address. */
export type Place =
  { readonly script: string; readonly args?: readonly string[] } | { readonly address: string };

/** A connected official client, whichever. */
export interface Official {
  readonly client: ClientV1 | ClientV2;
  /** The process it started, over stdio. */
  readonly pid: number | undefined;
  /** The revision its connection speaks. */
  readonly version: string | undefined;
}

/** A way to connect an official client. */
export interface Kind {
  readonly name: string;
  /** The revision that is to come of it. */
  readonly speaks: string;
  connect(place: Place): Promise<Official>;
}

export const STATELESS_VERSION = '2026-07-28';
export const LEGACY_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

/** Client v1 that asks for a revision. */
export function v1(version: string): Kind {
  return {
    name: `client v1, ${version}`,
    speaks: version,
    async connect(place) {
      const client = new ClientV1(INFO, { capabilities: CAPABILITIES });
      client.setRequestHandler(ElicitRequestSchema, () => ANSWER);
      const transport = 'address' in place ? new HttpV1(new URL(place.address)) : new StdioV1(command(place));
      const negotiated = askFor(transport as Wire, version);
      // The package's own types disagree under exactOptionalPropertyTypes.
      await client.connect(transport as Parameters<ClientV1['connect']>[0]);
      return { client, pid: pidOf(transport), version: negotiated() };
    },
  };
}

/** Client v2 that opens a session, asking for a revision. */
export function v2Legacy(version: string): Kind {
  return v2(`client v2 in legacy mode, ${version}`, 'legacy', version);
}

export const v2Auto: Kind = v2('client v2 in auto mode', 'auto', STATELESS_VERSION);
export const v2Pinned: Kind = v2(
  'client v2 pinned to 2026-07-28',
  { pin: STATELESS_VERSION },
  STATELESS_VERSION,
);

function v2(name: string, mode: 'legacy' | 'auto' | { pin: string }, speaks: string): Kind {
  return {
    name,
    speaks,
    async connect(place) {
      const client = new ClientV2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
      client.setRequestHandler('elicitation/create', () => ANSWER);
      const transport = 'address' in place ? new HttpV2(new URL(place.address)) : new StdioV2(command(place));
      if (mode === 'legacy') askFor(transport as Wire, speaks);
      await client.connect(transport);
      return { client, pid: pidOf(transport), version: client.getNegotiatedProtocolVersion() };
    },
  };
}

interface Wire {
  send(message: unknown, ...more: unknown[]): Promise<void>;
  setProtocolVersion?(version: string): void;
}

/** Has a transport ask for a revision in `initialize`. @returns what the server settled on. */
function askFor(transport: Wire, protocolVersion: string): () => string | undefined {
  const send = transport.send.bind(transport);
  const settled: { version?: string } = {};
  transport.send = (message, ...more) => {
    const { method, params } = message as { method?: string; params?: object };
    const changed = { ...(message as object), params: { ...params, protocolVersion } };
    return send(method === 'initialize' ? changed : message, ...more);
  };
  const setVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    settled.version = version;
    setVersion?.(version);
  };
  return () => settled.version;
}

function command(place: Extract<Place, { script: string }>): {
  command: string;
  args: string[];
  stderr: 'ignore';
} {
  return { command: process.execPath, args: [place.script, ...(place.args ?? [])], stderr: 'ignore' };
}

function pidOf(transport: object): number | undefined {
  return 'pid' in transport && typeof transport.pid === 'number' ? transport.pid : undefined;
}
