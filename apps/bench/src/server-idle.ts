import { Arg, createApp, Service, Tool } from '@sigil/core';
import { http } from '@sigil/http';
import { readServerOptions } from './options.js';

/** A server whose sessions expire while one can wait for it. */
@Service()
class Adder {
  @Tool({ name: 'add', description: 'Add two numbers' })
  add(@Arg('a') a: number, @Arg('b') b: number): { sum: number } {
    return { sum: a + b };
  }
}

const { port, idleMs } = readServerOptions();
const app = await createApp({ name: 'bench', version: '1.0.0', services: [Adder] });
await app.run(http({ port, ...(idleMs === undefined ? {} : { sessions: { idleMs } }) }));
