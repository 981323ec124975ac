import type { AddedNames } from './added-names.js';
import type { AddedFiles } from './added-files.js';

/** A tool that repeats what it is told, and its test. */
export function toolFiles({ className, method, served }: AddedNames, module: string): AddedFiles {
  return {
    source: `import { Arg, Service, Tool } from '@sigil/core';

@Service()
export class ${className} {
  // Models read the descriptions: they decide by them when to call a tool, and with what.
  @Tool({ description: 'Repeats a text', readOnly: true, openWorld: false })
  ${method}(@Arg('text', { description: 'What to repeat' }) text: string): string {
    return text;
  }
}
`,
    test: `import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { ${className} } from '${module}';

test('${served} repeats a text', async () => {
  await using server = await testApp({ services: [${className}] });

  const result = await server.client.callTool('${served}', { text: 'Hello' });

  expect(textOf(result)).toBe('Hello');
});
`,
  };
}
