import { Arg, createApp, Service, Tool } from '@sigil/core';

/** The smallest server there is: what it takes to start without class-validator. */
@Service()
class Adder {
  @Tool({ name: 'add', description: 'Add two numbers' })
  add(@Arg('a') a: number, @Arg('b') b: number): { sum: number } {
    return { sum: a + b };
  }
}

const app = await createApp({ name: 'bench', version: '1.0.0', services: [Adder] });
await app.run();
