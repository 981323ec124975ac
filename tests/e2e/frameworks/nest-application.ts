import 'reflect-metadata';
import { afterEach } from '@jest/globals';
import { type INestApplication, Module, type ModuleMetadata } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type SigilModuleExtras, SigilModule, type SigilModuleOptions } from '@sigil/nest';
import { Calls } from '../calls.js';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Closes something after the test. */
export function closeLater(close: () => Promise<unknown>): void {
  closing.push(close);
}

interface Platform {
  readonly platform: string;
  readonly adapter: () => AbstractHttpAdapter;
}

export const PLATFORMS: readonly Platform[] = [
  { platform: 'Express', adapter: () => new ExpressAdapter() as never },
  { platform: 'Fastify', adapter: () => new FastifyAdapter({ forceCloseConnections: true }) as never },
];

/** The root module of an application, and options of the module that serves MCP. */
type Root = ModuleMetadata & { readonly options?: Partial<SigilModuleOptions & SigilModuleExtras> };

/** Starts an application that listens. @param prepare what its `main.ts` does before. */
export async function make(
  adapter: AbstractHttpAdapter,
  { options, imports = [], ...metadata }: Root,
  prepare: (nest: INestApplication) => unknown = () => undefined,
): Promise<{ readonly nest: INestApplication; readonly address: string }> {
  class AppModule {}
  const sigil = SigilModule.forRoot({ name: 'payroll', version: '1.0.0', ...options });
  Module({ ...metadata, imports: [sigil, ...imports] })(AppModule);
  const nest = await NestFactory.create(AppModule, adapter, {
    logger: false,
    abortOnError: false,
    forceCloseConnections: true,
  });
  closeLater(() => nest.close());
  await prepare(nest);
  await nest.listen(0, '127.0.0.1');
  return { nest, address: await nest.getUrl() };
}

/** The calls of the official client. */
interface Connected extends Calls {
  /** The names of the tools, in the order of the list. */
  tools(): Promise<string[]>;
}

/** Connects the official client. @param token sent with every request. */
export async function connect(address: string, token?: string): Promise<Connected> {
  const client = new Client({ name: 'nest', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  closeLater(() => client.close());
  const tools = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
  return Object.assign(new Calls(client), { tools });
}
