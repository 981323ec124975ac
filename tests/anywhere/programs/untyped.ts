import { Arg, createApp, Service, Tool, ToolContext } from '@sigil/core';

@Service()
class Sums {
  @Tool({ description: 'Add two numbers' })
  add(
    @Arg('a', { type: () => Number }) a: number,
    @Arg('b', { type: () => Number, minimum: 0 }) b: number,
    ctx: ToolContext,
  ): number {
    return ctx.signal.aborted ? 0 : a + b;
  }
}

const app = await createApp({ name: 'untyped', version: '1.0.0', services: [Sums] });
const running = await app.run();
if (running.address) console.log(running.address);
