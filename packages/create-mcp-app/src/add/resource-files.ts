import type { AddedNames } from './added-names.js';
import type { AddedFiles } from './added-files.js';

/** A resource template of one variable, and its test. */
export function resourceFiles({ className, method, kebab }: AddedNames, module: string): AddedFiles {
  return {
    source: `import { Param, Resource, Service } from '@sigil/core';

@Service()
export class ${className} {
  @Resource('${kebab}://{id}', { description: 'One item', mimeType: 'application/json' })
  ${method}(@Param('id', { description: 'Which one' }) id: string): object | undefined {
    // There is no such resource when this is undefined.
    return id === 'unknown' ? undefined : { id };
  }
}
`,
    test: `import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { ${className} } from '${module}';

test('${kebab}://{id} is read by its id', async () => {
  await using server = await testApp({ services: [${className}] });

  const result = await server.client.readResource('${kebab}://1');

  expect(JSON.parse(textOf(result))).toEqual({ id: '1' });
});

test('${kebab}://{id} is not there for an unknown id', async () => {
  await using server = await testApp({ services: [${className}] });

  await expect(server.client.readResource('${kebab}://unknown')).rejects.toThrow('not found');
});
`,
  };
}
