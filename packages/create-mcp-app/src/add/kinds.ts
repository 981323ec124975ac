import type { AddedFiles } from './added-files.js';
import type { AddedNames } from './added-names.js';
import type { Project } from './project.js';
import { viewFiles } from './view-files.js';

/** The names of the kinds of classes to add, as on the command line. */
export const KIND_NAMES = ['tool', 'resource', 'prompt', 'service', 'view'] as const;

/** The name of a kind of class to add, such as `tool`. */
export type KindName = (typeof KIND_NAMES)[number];

/** A kind of class that can be added. */
export interface Kind {
  /** Whether clients see the class. A service is only used by other classes. */
  readonly isServed: boolean;
  /** Returns the files to add. @throws Failure if the project does not support this kind of class. */
  filesFor(names: AddedNames, project: Project): AddedFiles | Promise<AddedFiles>;
}

/** The kinds of classes to add, by their names on the command line. */
export const KINDS: Readonly<Record<KindName, Kind>> = {
  tool: { isServed: true, filesFor: classIn('tools', toolTexts) },
  resource: { isServed: true, filesFor: classIn('resources', resourceTexts) },
  prompt: { isServed: true, filesFor: classIn('prompts', promptTexts) },
  service: { isServed: false, filesFor: classIn('services', serviceTexts) },
  view: { isServed: true, filesFor: viewFiles },
};

/** The texts of an added class and of its test. */
interface AddedTexts {
  readonly source: string;
  readonly test: string;
}

/** Returns a function that creates the files of a class and its test, in a folder inside `src` and `test`. */
function classIn(folder: string, texts: (names: AddedNames, module: string) => AddedTexts): Kind['filesFor'] {
  return (names) => {
    const module = `${folder}/${names.kebab}`;
    const { source, test } = texts(names, `../../src/${module}.js`);
    const files = new Map([
      [`src/${module}.ts`, source],
      [`test/${module}.test.ts`, test],
    ]);
    return { className: names.className, module, files };
  };
}

/** Returns the texts of a tool that echoes its argument, and of its test. */
function toolTexts({ className, method, served }: AddedNames, module: string): AddedTexts {
  return {
    source: `import { Arg, Service, Tool } from '@sigil/core';

@Service()
export class ${className} {
  // Models read the descriptions to decide when to call a tool, and with which arguments.
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

/** Returns the texts of a resource template with one variable, and of its test. */
function resourceTexts({ className, method, kebab }: AddedNames, module: string): AddedTexts {
  return {
    source: `import { Param, Resource, Service } from '@sigil/core';

@Service()
export class ${className} {
  @Resource('${kebab}://{id}', { description: 'One item', mimeType: 'application/json' })
  ${method}(@Param('id', { description: 'Which one' }) id: string): object | undefined {
    // The result undefined means that the resource does not exist.
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

/** Returns the texts of a prompt with one argument, and of its test. */
function promptTexts({ className, method, served }: AddedNames, module: string): AddedTexts {
  return {
    source: `import { Arg, Prompt, Service } from '@sigil/core';
import { message, type PromptMessage } from '@sigil/core/content';

@Service()
export class ${className} {
  @Prompt({ description: 'Asks for a summary of a text' })
  ${method}(@Arg('text', { description: 'What to summarize' }) text: string): PromptMessage {
    return message.user(\`Summarize this in three sentences:\\n\\n\${text}\`);
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

/** Returns the texts of a class that others inject, and of its test. */
function serviceTexts({ className }: AddedNames, module: string): AddedTexts {
  return {
    source: `import { Service } from '@sigil/core';

@Service()
export class ${className} {
  private readonly items = new Map<string, string>();

  save(id: string, text: string): void {
    this.items.set(id, text);
  }

  find(id: string): string | undefined {
    return this.items.get(id);
  }
}
`,
    test: `import { expect, test } from '@jest/globals';
import { ${className} } from '${module}';

test('${className} finds what was saved', () => {
  const service = new ${className}();

  service.save('1', 'Tea');

  expect(service.find('1')).toBe('Tea');
  expect(service.find('2')).toBeUndefined();
});
`,
  };
}
