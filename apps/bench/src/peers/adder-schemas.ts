import * as z from 'zod';
import { toolNames } from '../options.js';

/**
 * The schemas that a server of another framework registers for one tool. They are created once, not for every request.
 */
export interface AdderSchemas {
  readonly name: string;
  readonly input: z.ZodObject<{ a: z.ZodNumber; b: z.ZodNumber }>;
  readonly output: z.ZodObject<{ sum: z.ZodNumber }>;
}

/** Creates one pair of schemas for each tool. */
export function adderSchemas(count: number): AdderSchemas[] {
  return toolNames(count).map((name) => ({
    name,
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
  }));
}

/** The description of all tools in the bench. */
export const description = 'Add two numbers';

/** The result of a tool in another framework: an object with the sum, and the same object as JSON text. */
export interface AdderResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent: { sum: number };
}

/** Adds two numbers. The servers of the other frameworks use this function as the handler of all their tools. */
export function add({ a, b }: { a: number; b: number }): AdderResult {
  const sum = { sum: a + b };
  return { content: [{ type: 'text', text: JSON.stringify(sum) }], structuredContent: sum };
}
