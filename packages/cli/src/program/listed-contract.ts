import type { Contract, ContractFacts } from '@sigil/core';
import { METHODS } from '@sigil/core/transport';
import { ServerError } from '../failures.js';
import { isObject } from '../json.js';
import type { Connection } from './connection.js';
import { greet } from './greet.js';
import type { Program } from './program.js';

/** Most pages of one list: a server that goes on for ever is not listened to for ever. */
const MOST_PAGES = 10_000;

/** The contract of any MCP server, as far as its lists show it to a client without a principal. */
export async function listedContract(program: Program): Promise<Contract> {
  const { connection, server, capabilities, instructions } = await greet(program);
  const list = (feature: string, method: string, member: string): Promise<unknown[]> =>
    feature in capabilities ? everyPage(connection, method, member) : Promise.resolve([]);
  const facts = {
    server: { ...server, name: textOf(server['name']), version: textOf(server['version']) },
    ...(typeof instructions === 'string' ? { instructions } : {}),
    capabilities,
    tools: await list('tools', METHODS.listTools, 'tools'),
    resources: await list('resources', METHODS.listResources, 'resources'),
    resourceTemplates: await list('resources', METHODS.listTemplates, 'resourceTemplates'),
    prompts: await list('prompts', METHODS.listPrompts, 'prompts'),
  };
  // Loaded only for servers that are not made with Sigil: it brings the framework along.
  const { arrangeContract } = await import('@sigil/core');
  return arrangeContract(facts as unknown as ContractFacts);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

async function everyPage(connection: Connection, method: string, member: string): Promise<unknown[]> {
  const entries: unknown[] = [];
  const cursors = new Set<unknown>();
  let params = {};
  for (let page = 0; page < MOST_PAGES; page++) {
    const result = await connection.request(method, params);
    const listed = result[member];
    if (!Array.isArray(listed) || !listed.every(isObject))
      throw new ServerError(`the answer to ${method} has no list "${member}"`);
    entries.push(...listed);
    const { nextCursor } = result;
    if (nextCursor === undefined || nextCursor === null) return entries;
    if (cursors.has(nextCursor)) throw new ServerError(`the pages of ${method} go round in a circle`);
    cursors.add(nextCursor);
    params = { cursor: nextCursor };
  }
  throw new ServerError(`${method} has more than ${MOST_PAGES} pages`);
}
