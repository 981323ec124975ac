import { Arg, Service, Tool } from '@sigil/core';
import { CONTACT_SCHEMA } from './contact-schema.js';

/** Tools whose schemas come from their parameters, and one with a hand-written schema. */
@Service()
export class SchemaTools {
  @Tool({
    name: 'json_schema_2020_12_tool',
    description: 'Tool with JSON Schema 2020-12 features',
    input: CONTACT_SCHEMA,
  })
  keepContact(contact: Record<string, unknown>): string {
    return `JSON Schema 2020-12 tool called with: ${JSON.stringify(contact)}`;
  }

  @Tool({ description: 'Adds two numbers', readOnly: true, idempotent: true, output: { type: 'number' } })
  add(@Arg('a') a: number, @Arg('b') b: number): number {
    return a + b;
  }

  @Tool({ description: 'Repeats a text', readOnly: true })
  repeat(
    @Arg('text', { minLength: 1, maxLength: 200 }) text: string,
    @Arg('times', { type: 'integer', minimum: 1, maximum: 10, default: 2 }) times: number,
    @Arg('separator', { enum: [' ', ', ', '\n'], optional: true }) separator?: string,
  ): string {
    return Array.from({ length: times }, () => text).join(separator ?? ' ');
  }

  @Tool({
    description: 'Says how far apart two days are',
    readOnly: true,
    output: { type: 'object', properties: { days: { type: 'integer' } }, required: ['days'] },
  })
  daysBetween(@Arg('from') from: Date, @Arg('to') to: Date): { days: number } {
    return { days: Math.round((to.getTime() - from.getTime()) / 86_400_000) };
  }
}
