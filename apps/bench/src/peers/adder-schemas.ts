import * as z from 'zod';
import { toolNames } from '../options.js';

/** The schemas that a peer registers for one tool. They are created once, and not again for every request. */
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

/** The result of a peer's tool: the sum, and its JSON as text. */
export interface AdderResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent: { sum: number };
}

/** Adds two numbers. It is the handler of all tools of the peers. */
export function add({ a, b }: { a: number; b: number }): AdderResult {
  const sum = { sum: a + b };
  return { content: [{ type: 'text', text: JSON.stringify(sum) }], structuredContent: sum };
}
