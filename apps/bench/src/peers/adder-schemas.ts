import * as z from 'zod';
import { toolNames } from '../options.js';

/** What a peer registers for one tool; made once, so that a server built per request does not pay for it again. */
export interface AdderSchemas {
  readonly name: string;
  readonly input: z.ZodObject<{ a: z.ZodNumber; b: z.ZodNumber }>;
  readonly output: z.ZodObject<{ sum: z.ZodNumber }>;
}

/** One pair of schemas a tool. */
export function adderSchemas(count: number): AdderSchemas[] {
  return toolNames(count).map((name) => ({
    name,
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
  }));
}

/** The description all bench tools share. */
export const description = 'Add two numbers';

/** What a peer's handler returns: the sum, and its JSON as text. */
export interface AdderResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent: { sum: number };
}

/** The handler of every peer's tool. */
export function add({ a, b }: { a: number; b: number }): AdderResult {
  const sum = { sum: a + b };
  return { content: [{ type: 'text', text: JSON.stringify(sum) }], structuredContent: sum };
}
