import { Ajv2020 } from 'ajv/dist/2020.js';
import type { DefinitionProblem } from '../../src/errors/errors.js';
import type { Constructor } from '../../src/protocol/constructor.js';
import { HEADER_KEYWORD } from '../../src/protocol/descriptors.js';
import {
  createSchemaCompiler,
  InvalidValueError,
  type PropertyDeclaration,
  type SchemaSource,
  type ValuePlan,
} from '../../src/schema/index.js';
import type { LoadValidatorCompiler } from '../../src/schema/validate/compiled-schema.js';
import { loadValidatorCompiler as loadInterpreter } from '../../src/schema/validate/interpreter.js';
import { loadWritten } from './written.js';

const FORMATS = ['date-time', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid'];

/** Refuses schemas that the meta-schema of 2020-12 refuses, or that have a keyword or format nobody knows. */
const STRICT = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  validateSchema: true,
  formats: Object.fromEntries(FORMATS.map((name) => [name, true])),
});

STRICT.addKeyword(HEADER_KEYWORD);

/** Plans a source and makes it ready; a definition with problems fails the test. */
export async function plan(
  source: SchemaSource,
  direction: 'input' | 'output' = 'input',
  validators?: LoadValidatorCompiler,
): Promise<ValuePlan> {
  const compiler = await createSchemaCompiler({ classes: true, ...(validators && { validators }) });
  const problems: DefinitionProblem[] = [];
  const made = compiler[direction](source, 'Fixture.method, parameter 0', problems);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  if (source.kind !== 'schema') STRICT.compile(made.advertised);
  await made.ready();
  return made;
}

/** Plans the instances of a class, to be checked where no code may be made of text. */
export function planInterpreted(cls: Constructor): Promise<ValuePlan> {
  return plan({ kind: 'class', cls }, 'input', loadInterpreter);
}

/** Plans the instances of a class, to be checked by validators that were written to a file. */
export function planWritten(cls: Constructor): Promise<ValuePlan> {
  return plan({ kind: 'class', cls }, 'input', loadWritten);
}

/** What a client is told of a value: every problem, or nothing. */
export async function told(made: ValuePlan, value: unknown): Promise<string> {
  try {
    await made.check(value);
    return '';
  } catch (error) {
    if (error instanceof InvalidValueError) return error.message;
    throw error;
  }
}

/** What is told, without its order, and without what an array lacks that is to contain an item: kinds of validators word that differently. */
export function inAnyOrder(told: string): readonly string[] {
  const lines = told.split('\n').sort();
  const lacking = lines.filter((line) => line.includes('an array with an item that fits'));
  const places = lacking.map((line) => `${line.split(': ')[0]}[`);
  const isSaid = (line: string): boolean => !places.some((place) => line.startsWith(place));
  return lines.filter((line) => !lacking.includes(line) && isSaid(line));
}

/** Plans the instances of a class. */
export function planClass(cls: Constructor, direction: 'input' | 'output' = 'input'): Promise<ValuePlan> {
  return plan({ kind: 'class', cls }, direction);
}

/** Plans an object of single arguments; each is required unless it says otherwise. */
export function planArguments(
  ...properties: (Partial<PropertyDeclaration> & { readonly name: string })[]
): Promise<ValuePlan> {
  return plan({ kind: 'properties', properties: properties.map((one) => ({ required: true, ...one })) });
}

/** The problems a source has. */
export async function problemsOf(
  source: SchemaSource,
  direction: 'input' | 'output' = 'input',
): Promise<DefinitionProblem[]> {
  const compiler = await createSchemaCompiler({ classes: true });
  const problems: DefinitionProblem[] = [];
  compiler[direction](source, 'Fixture.method, parameter 0', problems);
  await compiler.settle(problems);
  return problems;
}

/** The error a check ends in; fails when it passes. */
export async function failure(made: ValuePlan, value: unknown): Promise<InvalidValueError> {
  try {
    await made.check(value);
  } catch (error) {
    if (error instanceof InvalidValueError) return error;
    throw error;
  }
  throw new Error('the value was accepted');
}

/** Whether a check passes. */
export async function accepts(made: ValuePlan, value: unknown): Promise<boolean> {
  try {
    await made.check(value);
    return true;
  } catch (error) {
    if (error instanceof InvalidValueError) return false;
    throw error;
  }
}
