import { createApp, Service, Tool } from '@sigil/core';
import { IsNumber } from 'class-validator';
import { readServerOptions, toolNames } from './options.js';

/** One service with one tool, with DTO classes of its own so that no schema is shared between tools. */
function adder(name: string): new () => object {
  class Addends {
    @IsNumber() a!: number;
    @IsNumber() b!: number;
  }

  class Sum {
    @IsNumber() sum!: number;
  }

  @Service()
  class Adder {
    @Tool({ name, description: 'Add two numbers', output: Sum })
    add(query: Addends): Sum {
      return { sum: query.a + query.b };
    }
  }
  return Adder;
}

const app = await createApp({
  name: 'bench',
  version: '1.0.0',
  services: toolNames(readServerOptions().tools).map(adder),
});
await app.run();
