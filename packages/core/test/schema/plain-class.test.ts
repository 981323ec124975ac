import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsInstance, IsNumber, IsString, Matches, Validate, ValidateNested } from 'class-validator';
import { McpHeader } from '../../src/decorators/parameters.js';
import type { DefinitionProblem } from '../../src/errors/errors.js';
import type { Constructor } from '../../src/protocol/constructor.js';
import { ClassModels, summaryOf } from '../../src/schema/dto/dto.js';
import { ConstraintSource } from '../../src/schema/dto/class-libraries.js';
import { loadClassLibraries } from '../../src/schema/dto/load-libraries.js';
import { isPlainClass } from '../../src/schema/classes.js';
import { PatternPool } from '../../src/schema/patterns/patterns.js';
import { DATE_USES, USES } from './uses/index.js';

const libraries = (await loadClassLibraries(new PatternPool(), new ConstraintSource()))!;
const isPlain = (cls: Constructor): boolean => isPlainClass(cls, libraries);

describe('a plain class', () => {
  test.each([...USES, ...DATE_USES])(
    'has no mistakes and no headers once it is read: @$code',
    ({ decorate }) => {
      class Subject {
        value: unknown;
      }
      decorate()(Subject.prototype, 'value');
      const problems: DefinitionProblem[] = [];
      const { mirrored } = summaryOf(Subject, new ClassModels(libraries, 'input', []), 'here', problems);
      expect(isPlain(Subject) && (problems.length > 0 || mirrored)).toBe(false);
    },
  );

  test('is what most DTO classes are', () => {
    class Addends {
      @IsNumber() a!: number;
      @IsNumber() b!: number;
    }
    expect(isPlain(Addends)).toBe(true);
  });
});

describe('a class is read at boot', () => {
  class Inner {
    @IsString() name!: string;
  }
  class NoConstraint {}
  const CASES: Record<string, () => Constructor> = {
    'without rules': () => class {},
    'that extends another': () => class extends Inner {},
    'that needs arguments to be constructed': () => {
      class Subject {
        @IsString() name: string;
        constructor(name: { value: string }) {
          this.name = name.value;
        }
      }
      return Subject as Constructor;
    },
    'with a pattern': () => {
      class Subject {
        @Matches(/^(a+)+$/) name!: string;
      }
      return Subject;
    },
    'that holds another': () => {
      class Subject {
        @ValidateNested() inner!: Inner;
      }
      return Subject;
    },
    'that holds another by its type alone': () => {
      class Subject {
        @IsInstance(Inner) inner!: Inner;
        @IsString() name!: string;
      }
      return Subject;
    },
    'with a type of its elements': () => {
      class Subject {
        @Type(() => Inner)
        @Validate(NoConstraint)
        inner!: Inner[];
      }
      return Subject;
    },
    'with a constraint that is none': () => {
      class Subject {
        @Validate(NoConstraint) name!: string;
      }
      return Subject;
    },
    'with a header': () => {
      class Subject {
        @McpHeader('Region')
        @IsString()
        region!: string;
      }
      return Subject;
    },
  };

  test.each(Object.keys(CASES))('%s', (name) => {
    const make = CASES[name];
    expect(make && isPlain(make())).toBe(false);
  });
});
