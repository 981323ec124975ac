import type { AddedNames } from './added-names.js';
import type { AddedFiles } from './added-files.js';

/** A class that others inject, and its test. */
export function serviceFiles({ className }: AddedNames, module: string): AddedFiles {
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
