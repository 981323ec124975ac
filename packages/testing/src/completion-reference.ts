/** What a completion is for: a prompt by name, or a resource template by its URI template. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };
