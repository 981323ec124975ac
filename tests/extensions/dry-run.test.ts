import { beforeEach, expect, test } from '@jest/globals';
import { Arg, Service, TaskSupport, Tool } from '@sigil/core';
import type { CallToolResult } from '@sigil/core/protocol';
import { type ConnectOptions, testApp, type TestApp, textOf } from '@sigil/testing';
import { DRY_RUN, DryRun, dryRun, type DryRunOptions, WOULD_RUN } from './dry-run.js';

const OUTPUT = { type: 'object', properties: { left: { type: 'number' } }, required: ['left'] };
const KNOWS = { capabilities: { extensions: { [DRY_RUN]: {} } } } satisfies ConnectOptions;
const ADA = { id: 'ada' };
const BOB = { id: 'bob' };

let deleted: string[] = [];

beforeEach(() => {
  deleted = [];
});

@Service()
class Files {
  @Tool({ description: 'Deletes a file' })
  @DryRun()
  deleteFile(@Arg('path') path: string): string {
    deleted.push(path);
    return `Deleted ${path}`;
  }

  @Tool({ description: 'Deletes everything', output: OUTPUT })
  @DryRun()
  deleteAll() {
    deleted.push('*');
    return { left: 0 };
  }

  @Tool({ description: 'Counts what was deleted', readOnly: true })
  countDeleted(): number {
    return deleted.length;
  }
}

function files(options?: DryRunOptions): Promise<TestApp> {
  return testApp({
    services: [Files],
    extensions: [dryRun(options)],
    principal: ADA,
    client: KNOWS,
  });
}

/** What a result says would be run, if it says so. */
function whatWouldRun(result: CallToolResult): unknown {
  return result._meta?.[DRY_RUN];
}

test('a tool that can be tried says so in its descriptor, another does not', async () => {
  await using server = await files();
  const tools = await server.client.listTools();
  expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
    ['delete_file', { [DRY_RUN]: true }],
    ['delete_all', { [DRY_RUN]: true }],
    ['count_deleted', undefined],
  ]);
});

test('the server announces the extension', async () => {
  await using server = await files();
  const { capabilities } = await server.client.discover();
  expect(capabilities.extensions).toMatchObject({ [DRY_RUN]: {} });
});

test('a client that declares the extension is told what would be run', async () => {
  await using server = await files();
  const result = await server.client.callTool('delete_file', { path: 'a.txt' });
  expect(result).toMatchObject({ resultType: WOULD_RUN });
  expect(whatWouldRun(result)).toEqual({ name: 'delete_file', arguments: { path: 'a.txt' } });
  expect(textOf(result)).toBe('Would run delete_file with {"path":"a.txt"}');
  expect(deleted).toEqual([]);
});

test('a tool with an output schema is tried like any other, and nothing is logged', async () => {
  await using server = await files();
  const result = await server.client.callTool('delete_all');
  expect(whatWouldRun(result)).toEqual({ name: 'delete_all', arguments: {} });
  expect(deleted).toEqual([]);
  expect(server.logs).toEqual([]);
});

test('wrong arguments are refused when a tool is tried', async () => {
  await using server = await files();
  const result = await server.client.callTool('delete_file', {});
  expect(result.isError).toBe(true);
  expect(whatWouldRun(result)).toBeUndefined();
});

test('a tool that takes no part runs', async () => {
  await using server = await files();
  expect(textOf(await server.client.callTool('count_deleted'))).toBe('0');
});

test('a tool runs once its caller has allowed it, and only that tool', async () => {
  await using server = await files();
  await server.client.request('dry-run/allow', { name: 'delete_file' });
  const result = await server.client.callTool('delete_file', { path: 'a.txt' });
  expect(textOf(result)).toBe('Deleted a.txt');
  expect(whatWouldRun(await server.client.callTool('delete_all'))).toBeDefined();
  expect(deleted).toEqual(['a.txt']);
});

test('what one principal allows is not allowed for another', async () => {
  await using server = await files();
  await server.client.request('dry-run/allow', { name: 'delete_all' });
  const bob = await server.connect({ principal: BOB });
  expect(whatWouldRun(await bob.callTool('delete_all'))).toBeDefined();
  expect(deleted).toEqual([]);
});

test('the oldest permission is forgotten beyond the limit', async () => {
  await using server = await files({ limit: 1 });
  await server.client.request('dry-run/allow', { name: 'delete_file' });
  await server.client.request('dry-run/allow', { name: 'delete_all' });
  expect(whatWouldRun(await server.client.callTool('delete_file', { path: 'a.txt' }))).toBeDefined();
  await server.client.callTool('delete_all');
  expect(deleted).toEqual(['*']);
});

test.each([{ name: 'count_deleted' }, { name: 'no_such_tool' }, { name: 7 }, {}])(
  'nothing that cannot be tried is allowed: %j',
  async (params) => {
    await using server = await files();
    await expect(server.client.request('dry-run/allow', params)).rejects.toMatchObject({ code: -32602 });
  },
);

test.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
  'a client of %s that does not declare the extension runs the tool',
  async (revision) => {
    await using server = await files();
    const client = await server.connect({ revision, capabilities: {} });
    expect(textOf(await client.callTool('delete_file', { path: 'a.txt' }))).toBe('Deleted a.txt');
  },
);

test('a client that does not declare the extension is refused its method', async () => {
  await using server = await files();
  const client = await server.connect({ capabilities: {} });
  const allowing = client.request('dry-run/allow', { name: 'delete_file' });
  await expect(allowing).rejects.toMatchObject({ code: -32021 });
});

test('a client with a session, which could not allow a tool, runs it', async () => {
  await using server = await files();
  const client = await server.connect({ revision: '2025-11-25' });
  expect(textOf(await client.callTool('delete_file', { path: 'a.txt' }))).toBe('Deleted a.txt');
});

@Service()
class ReadOnly {
  @Tool({ description: 'Lists the files', readOnly: true })
  @DryRun()
  list(): string[] {
    return [];
  }
}

@Service()
class Background {
  @Tool({ description: 'Deletes in the background' })
  @TaskSupport('optional')
  @DryRun()
  deleteSlowly(): string {
    deleted.push('slowly');
    return 'Deleted';
  }
}

test('a tool that may be a task can be tried', async () => {
  await using server = await testApp({ services: [Background], extensions: [dryRun()], client: KNOWS });
  expect(whatWouldRun(await server.client.callTool('delete_slowly'))).toBeDefined();
  expect(deleted).toEqual([]);
});

test('the app does not start with a tool that changes nothing', async () => {
  const starting = testApp({ services: [ReadOnly], extensions: [dryRun()] });
  const problem = {
    code: 'SIGIL_INVALID_OPTIONS',
    where: 'ReadOnly.list, @DryRun',
    what: 'a read-only tool changes nothing to be tried',
    fix: 'remove @DryRun or readOnly',
  };
  await expect(starting).rejects.toMatchObject({ name: 'DefinitionError', problems: [problem] });
});

test('the app does not start with a limit that is out of range', async () => {
  await expect(files({ limit: 0 })).rejects.toThrow('a limit of 0 is out of range');
});
