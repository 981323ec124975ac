import { describe, expect, test } from '@jest/globals';
import { importedRules } from '../../src/build/class-libraries.js';

describe('what a program imports of class-validator', () => {
  test.each([
    ['nothing', 'import { a } from "other";', []],
    ['by name', 'import { IsInt, Min } from "class-validator";\n', ['IsInt', 'Min']],
    [
      'under another name',
      'import {\n  IsInt as IsInt2,\n  Min\n} from "class-validator";\n',
      ['IsInt', 'Min'],
    ],
    [
      'in several modules, each once',
      'import { Min } from "class-validator";\nimport { IsInt, Min as Min2 } from "class-validator";\n',
      ['IsInt', 'Min'],
    ],
    ['by what the framework imports', 'import("framework:class-validator");', []],
    ['as a whole', 'import * as cv from "class-validator";\n', 'all'],
    ['by its default', 'import cv from "class-validator";\n', 'all'],
    ['by require', 'var cv = __require("class-validator");', 'all'],
    ['when it runs', 'const cv = await import("class-validator");', 'all'],
    ['to export it', 'export * from "class-validator";\n', 'all'],
  ])('%s', (_, bundle, rules) => {
    expect(importedRules(bundle)).toEqual(rules);
  });
});
