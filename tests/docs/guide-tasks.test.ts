import { expect, test } from '@jest/globals';
import { defineTool, TaskSupport } from '@sigil/core';
import { testApp } from '@sigil/testing';
import { describePage, textOf } from './guide-page.js';

describePage('tasks', ({ connect }) => {
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
