import { afterEach } from '@jest/globals';
import type { ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { App, type Logger } from '@sigil/core';
import { connect, type ConnectOptions, type TestClient } from '@sigil/testing';
import { SigilModule, type SigilModuleOptions } from '../src/index.js';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Closes something after the test. */
export function closeLater(close: () => Promise<unknown>): void {
  closing.push(close);
}

/** An application with a module of its own, and what a client is connected with. */
export interface Serving extends ModuleMetadata {
  readonly options?: Partial<SigilModuleOptions>;
  readonly client?: ConnectOptions;
  readonly override?: (builder: TestingModuleBuilder) => TestingModuleBuilder;
}

/** Makes an application that serves MCP. */
export async function compile(serving: Serving): Promise<TestingModule> {
  const { options, override, client: _client, imports = [], ...metadata } = serving;
  const sigil = SigilModule.forRoot({ name: 'nest', version: '1.0.0', ...options });
  const builder = Test.createTestingModule({ ...metadata, imports: [sigil, ...imports] });
  const nest = await (override?.(builder) ?? builder).compile();
  closeLater(() => nest.close());
  return nest;
}

/** Makes an application that serves MCP, and connects a client to it. */
export async function serve(serving: Serving): Promise<TestClient> {
  return clientOf(await compile(serving), serving.client);
}

/** Connects a client in memory. */
export async function clientOf(nest: TestingModule, options?: ConnectOptions): Promise<TestClient> {
  const client = await connect(nest.get(App), options);
  closeLater(() => client.close());
  return client;
}

/** A logger that keeps its lines: message and details. */
export function keepingLogger(): Logger & { readonly lines: unknown[] } {
  const lines: unknown[] = [];
  const keep = (details: unknown, message?: string): void => void lines.push([message ?? details, details]);
  return { lines, debug: keep, info: keep, warn: keep, error: keep };
}

/** Throws, where an expression is wanted. */
export function refuse(error: Error): never {
  throw error;
}
