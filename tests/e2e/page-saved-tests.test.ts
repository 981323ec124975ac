import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { Principal } from '@sigil/core';
import { saveTest, type SavedTest } from '../../packages/cli/src/page/saved-tests.js';
import { v2Auto } from './clients.js';
import { createMcpApp, endStarted, passTests, succeed, temporaryFolder } from './create-mcp-app.js';

// Compilers and tests of projects run here, and the machine may be busy.
jest.setTimeout(400_000);

const ROOT = process.cwd();

let folder: ReturnType<typeof temporaryFolder>;
afterEach(async () => {
  await endStarted();
  folder[Symbol.dispose]();
});

/** A created project with the packages of this checkout. */
async function created(template: string): Promise<string> {
  folder = temporaryFolder();
  const { code } = await createMcpApp(folder.path, ['app', '--template', template, '--no-install']);
  expect(code).toBe(0);
  const project = join(folder.path, 'app');
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'), 'dir');
  return project;
}

const compile = (project: string): Promise<string> => succeed(project, 'npx', 'tsc');

/** Calls a tool as often as that, as a user of the page may. @returns the last result. */
async function call(
  project: string,
  name: string,
  args: Record<string, unknown>,
  times = 1,
): Promise<object> {
  const { client } = await v2Auto.connect({ script: join(project, 'dist/main.js'), args: ['--stdio'] });
  try {
    for (let count = 1; count < times; count += 1) await client.callTool({ name, arguments: args });
    return await client.callTool({ name, arguments: args });
  } finally {
    await client.close();
  }
}

const save = (project: string, given: object, principal?: Principal): Promise<SavedTest> =>
  saveTest({ cwd: project, main: join(project, 'dist/main.js') }, { write: true, ...given }, principal);

/** Calls a tool and saves that. @returns the text of the test. */
async function saveCall(
  project: string,
  tool: string,
  args: Record<string, unknown>,
  more: { times?: number; title?: string } = {},
): Promise<string> {
  const { times = 1, ...given } = more;
  const result = await call(project, tool, args, times);
  const { file, text } = await save(project, { tool, arguments: args, result, ...given });
  expect(readFileSync(join(project, file), 'utf8')).toBe(text);
  return text;
}

test('a test of the template minimal reads as those that are there, and expects of what differs its type', async () => {
  const project = await created('minimal');
  writeFileSync(
    join(project, 'src/tools/more.ts'),
    `import { randomUUID } from 'node:crypto';
import { Arg, RequireScopes, Service, Tool, ToolContext } from '@sigil/core';

@Service()
export class More {
  @Tool({ description: 'Differs at every call' })
  note(@Arg('text') text: string): object {
    const all = [{ id: randomUUID(), text }];
    return { id: randomUUID(), at: new Date().toISOString(), all, text, none: null, took: Math.random() };
  }

  @Tool({ description: 'Rolls dice', readOnly: true })
  roll(): object {
    return { dice: Array.from({ length: 8 }, () => 1 + Math.floor(Math.random() * 6)), sides: 6 };
  }

  @Tool({ description: 'Is for those who may' })
  @RequireScopes('notes')
  mine(ctx: ToolContext): string {
    return \`\${ctx.principal?.id} may \${ctx.principal?.scopes?.join()}\`;
  }

  @Tool({ description: 'Asks' })
  async ask(ctx: ToolContext): Promise<string> {
    const { action } = await ctx.elicit('Really?', { type: 'object', properties: {} });
    return \`The user says \${action}\`;
  }

  @Tool({ description: 'Has letters that end texts' })
  quote(@Arg('text') text: string): string {
    return \`'"\\\`\\\\ \${text} \\u2028\`;
  }
}
`,
  );
  await compile(project);

  expect(await saveCall(project, 'greet', { name: 'Ada' }, { title: 'greets Ada' })).toBe(
    `import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { options } from '../../src/app.js';

test('greets Ada', async () => {
  await using server = await testApp(options);

  const result = await server.client.callTool('greet', { name: 'Ada' });

  expect(textOf(result)).toBe('Hello, Ada!');
});
`,
  );
  expect(await saveCall(project, 'note', { text: 'x' }))
    .toContain(`  expect(result.structuredContent).toEqual({
    id: expect.any(String),
    at: expect.any(String),
    all: [{ id: expect.any(String), text: 'x' }],
    text: 'x',
    none: null,
    took: expect.any(Number),
  });`);
  expect(await saveCall(project, 'roll', {}))
    .toContain(`  // Values that differ from call to call are only checked for their type.
  expect(result.structuredContent).toEqual({
    dice: [
${'      expect.any(Number),\n'.repeat(8)}    ],
    sides: 6,
  });`);
  const note = { tool: 'note', arguments: { text: 'x' }, write: false };
  expect(await save(project, { ...note, result: await call(project, 'note', { text: 'x' }) })).toMatchObject({
    note: expect.stringContaining('was repeated only once'),
  });
  const roll = { tool: 'roll', write: false, result: await call(project, 'roll', {}) };
  expect(await save(project, roll)).not.toHaveProperty('note');
  await saveCall(project, 'quote', { text: `it's \${process.exit()} </script>` });
  const wrong = await saveCall(project, 'greet', { name: '' });
  expect(wrong).toContain('expect(result.isError).toBe(true);');
  const mine = { tool: 'mine', result: { content: [{ type: 'text', text: 'ada may notes' }] } };
  expect(await save(project, mine, { id: 'ada', scopes: ['notes'] })).toMatchObject({
    file: 'test/tools/mine.test.ts',
    note: expect.stringContaining('could not be repeated'),
  });
  const asked = { tool: 'ask', result: { content: [{ type: 'text', text: 'The user says accept' }] } };
  await save(project, { ...asked, answers: [{ action: 'accept', content: {} }] });
  // What would fail is not saved.
  await expect(save(project, { tool: 'greet', arguments: {}, result: { content: [] } })).rejects.toThrow(
    'the test would fail',
  );

  await succeed(project, 'npm', 'run', 'typecheck');
  await passTests(project, 'npm');
});

test('tests of the templates http and full pass, whatever the server has done before the call', async () => {
  const http = await created('http');
  await compile(http);
  await saveCall(http, 'find_recipes', { ingredient: 'rice' });
  await saveCall(http, 'find_recipes', { ingredient: 'snow' });
  await succeed(http, 'npm', 'run', 'typecheck');
  await passTests(http, 'npm');
  folder[Symbol.dispose]();

  const full = await created('full');
  await compile(full);
  const loan = { reader: { name: 'Ada', email: 'ada@example.com' }, items: [{ bookId: 'night-sky' }] };
  expect(await saveCall(full, 'lend_books', loan, { times: 2 })).toContain('id: expect.any(String)');
  await saveCall(full, 'search_books', { words: 'stars' });
  await saveCall(full, 'take_stock', {});
  await succeed(full, 'npm', 'run', 'typecheck');
  await passTests(full, 'npm');
});

test('a project of another shape is tested by starting its program', async () => {
  const project = await created('minimal');
  renameSync(join(project, 'src/app.ts'), join(project, 'src/settings.ts'));
  const server = join(project, 'src/server.ts');
  writeFileSync(server, readFileSync(server, 'utf8').replace('./app.js', './settings.js'));
  rmSync(join(project, 'test/tools'), { recursive: true });
  await compile(project);

  expect(await saveCall(project, 'greet', { name: 'Ada' })).toContain(`['dist/main.js']`);

  await succeed(project, 'npm', 'run', 'typecheck');
  await passTests(project, 'npm');
});
