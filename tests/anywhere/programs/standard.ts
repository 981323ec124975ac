import { createApp, Service, Tool } from '@sigil/core';

const NUMBERS = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number', minimum: 0 } },
  required: ['a', 'b'],
};

@Service()
class Sums {
  @Tool({ description: 'Add two numbers', input: NUMBERS })
  add({ a, b }: { a: number; b: number }): number {
    return a + b;
  }
}

const app = await createApp({ name: 'standard', version: '1.0.0', services: [Sums] });
const running = await app.run();
if (running.address) console.log(running.address);
