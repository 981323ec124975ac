import { Arg, Service, Tool } from '@sigil/core';

@Service()
export class Greet {
  @Tool({ description: 'Greets somebody by name', readOnly: true, openWorld: false })
  greet(@Arg('name', { description: 'The name to greet', minLength: 1 }) name: string): string {
    return `Hello, ${name}!`;
  }
}
