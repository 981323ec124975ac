import { createApp, defineTool } from '@sigil/core';

const add = defineTool({
  name: 'add',
  description: 'Add two numbers',
  input: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number', minimum: 0 } },
    required: ['a', 'b'],
  },
  handle: ({ a, b }: Record<string, unknown>): number => Number(a) + Number(b),
});

const app = await createApp({ name: 'functions', version: '1.0.0', definitions: [add] });
const running = await app.run();
if (running.address) console.log(running.address);
