import { expect, test } from '@jest/globals';
import { defineTool, TaskSupport } from '@sigil/core';
import { testApp } from '@sigil/testing';
import { post } from '../e2e/modern-http.js';
import { until } from '../e2e/processes.js';
import { describePage, textOf } from './guide-page.js';

const CAPABILITIES = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };

describePage('tasks', ({ connect, serve }) => {
  test('shows a tool that asks first, and goes on as a task then, as it says', async () => {
    const { href } = await serve('catalogue.ts', '--http');
    const call = { name: 'export_catalogue', arguments: {} };
    const { requestState, inputRequests } = await post(href, 'tools/call', call, CAPABILITIES);
    expect(Object.keys(inputRequests as object)).toEqual(['format']);
    const inputResponses = { format: { action: 'accept', content: { format: 'pdf' } } };
    const answered = { ...call, requestState, inputResponses };
    const task = await post(href, 'tools/call', answered, CAPABILITIES);
    expect(task).toMatchObject({ resultType: 'task', ttlMs: 600_000, pollIntervalMs: 2_000 });
    const get = () => post(href, 'tasks/get', { taskId: task['taskId'] }, CAPABILITIES);
    await until(async () => (await get())['status'] === 'completed');
    expect(textOf((await get())['result'] as object)).toBe('catalogue.pdf, in the background');
  });

  test('shows a tool that asks first, and whose clients without tasks wait', async () => {
    const answer = () => ({ action: 'accept', content: { format: 'csv' } });
    const client = await connect('catalogue.ts', { answer });
    expect(textOf(await client.callTool({ name: 'export_catalogue' }))).toBe(
      'catalogue.csv, while the client waited',
    );
  });

  test('says truly who may call a tool that has to run as a task', async () => {
    const required = defineTool({
      name: 'required',
      metadata: TaskSupport.entry('required'),
      handle: () => 'x',
    });
    await using server = await testApp({ definitions: [required] });
    expect(await server.client.listTools()).toMatchObject([{ name: 'required' }]);
    await expect(server.client.callTool('required')).rejects.toMatchObject({ code: -32021 });
    const older = await server.connect({ revision: '2025-11-25' });
    expect(await older.listTools()).toEqual([]);
    await expect(older.callTool('required')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool'),
    });
  });
});
