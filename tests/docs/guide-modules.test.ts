import { expect, test } from '@jest/globals';
import { describePage, textOf } from './guide-page.js';

describePage('modules', ({ connect, print, write }) => {
  test('shows a module that imports another, with a prefix and errors of its own', async () => {
    const client = await connect('helpdesk.ts');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['crm_name', 'open_ticket']);
    const open = (customer: number) =>
      client.callTool({ name: 'open_ticket', arguments: { customer, title: 'Broken lamp' } });
    expect(textOf(await open(1))).toBe('Ticket 1 for Grace: Broken lamp');
    expect(await open(2)).toMatchObject({ isError: true, content: [{ text: 'There is no customer 2' }] });
    const { contents } = await client.readResource({ uri: 'customers://crm/1' });
    expect(contents).toMatchObject([{ text: '{"id":1,"name":"Grace"}' }]);
  });

  test('shows an app that discovers what files export', async () => {
    const tool = (name: string) => `
      import { Service, Tool } from '@sigil/core';
      class Base {}
      export class ${name} extends Base { run() { return 'done'; } }
      Tool({ name: '${name.toLowerCase()}' })(${name}.prototype, 'run', {});
      Service()(${name});`;
    await write('tools/greet.js', tool('Greet'));
    await write('tools/greet.test.js', 'throw new Error("tests are not imported");');
    await write('prompts/wave.js', tool('Wave'));
    await write('elsewhere/shout.js', tool('Shout'));
    expect((await print('discovery.ts')).trim()).toBe('wave,greet');
  });
});
