import type * as Bullmq from 'bullmq';

/**
 * Loads BullMQ. Not imported at the top of a file: what is bundled into one file would need it even where there are no tasks. It is written
 * as CommonJS, and bundlers that split a program into files give it as `default`, and nothing else.
 */
export async function loadBullmq(): Promise<typeof Bullmq> {
  const module = await import('bullmq');
  return 'Queue' in module ? module : (module as { readonly default: typeof Bullmq }).default;
}
