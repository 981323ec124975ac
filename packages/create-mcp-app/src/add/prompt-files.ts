import type { AddedNames } from './added-names.js';
import type { AddedFiles } from './added-files.js';

/** A prompt of one argument, and its test. */
export function promptFiles({ className, method, served }: AddedNames, module: string): AddedFiles {
  return {
    source: `import { Arg, Prompt, type PromptMessage, Service, user } from '@sigil/core';

@Service()
export class ${className} {
  @Prompt({ description: 'Asks for a summary of a text' })
  ${method}(@Arg('text', { description: 'What to summarize' }) text: string): PromptMessage {
    return user(\`Summarize this in three sentences:\\n\\n\${text}\`);
  }
}
`,
    test: `import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { ${className} } from '${module}';

test('${served} asks for a summary', async () => {
  await using server = await testApp({ services: [${className}] });

  const result = await server.client.getPrompt('${served}', { text: 'A long story' });

  expect(textOf(result)).toContain('A long story');
});
`,
  };
}
