import type { Change } from '../registry/registry.js';

/** Something that changed and that clients may want to hear of. Plain JSON: it may travel between processes. */
export type ServerChange =
  | { readonly kind: 'list'; readonly list: Change }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'task'; readonly taskId: string };
