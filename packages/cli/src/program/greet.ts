import { setTimeout as sleep } from 'node:timers/promises';
import { LATEST_LEGACY_VERSION, LATEST_VERSION, META, METHODS, NOTIFICATIONS } from '@sigil/core/transport';
import { isObject, type JsonObject } from '../json.js';
import { packageVersion } from '../package-version.js';
import { AnsweredError, Connection } from './connection.js';
import type { Program } from './program.js';

/** A server that has said who it is. */
export interface Greeted {
  readonly connection: Connection;
  readonly server: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: unknown;
}

/** How long a server may stay silent when it is asked in the way of 2026-07-28, in milliseconds: older ones may not answer. */
const PROBE_MS = 3000;

/** Meets a server in the newest revision it knows (2026-07-28, transports, stdio, "Backward Compatibility"). */
export async function greet(program: Program): Promise<Greeted> {
  const client = { name: 'sigil', version: packageVersion() };
  const envelope = {
    [META.protocolVersion]: LATEST_VERSION,
    [META.clientInfo]: client,
    [META.clientCapabilities]: {},
  };
  const connection = new Connection(program, envelope);
  const stop = new AbortController();
  const silence = sleep(PROBE_MS, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  const probe = connection.request(METHODS.discover).catch((error: unknown) => {
    if (error instanceof AnsweredError) return undefined;
    throw error;
  });
  const discovered = await Promise.race([probe, silence]);
  stop.abort();
  if (!discovered) return initialize(program, client);
  const meta = discovered['_meta'];
  return greeted(connection, discovered, isObject(meta) ? meta[META.serverInfo] : undefined);
}

async function initialize(program: Program, clientInfo: JsonObject): Promise<Greeted> {
  const connection = new Connection(program, undefined);
  const params = { protocolVersion: LATEST_LEGACY_VERSION, capabilities: {}, clientInfo };
  const initialized = await connection.request(METHODS.initialize, params);
  connection.notify(NOTIFICATIONS.initialized);
  return greeted(connection, initialized, initialized['serverInfo']);
}

function greeted(
  connection: Connection,
  { capabilities, instructions }: JsonObject,
  server: unknown,
): Greeted {
  return {
    connection,
    server: isObject(server) ? server : {},
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions,
  };
}
