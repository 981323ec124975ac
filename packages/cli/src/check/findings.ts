/** The codes of the findings of `sigil check`, with their meanings. */
export const CHECK_CODES = {
  CHECK_INVALID_NAME: 'a tool or prompt has a name that breaks the rules of the specification',
  CHECK_LONG_NAME: 'the name of a tool is longer than a directory allows',
  CHECK_NO_DESCRIPTION: 'a tool, prompt, resource or template has no description',
  CHECK_NO_ARGUMENT_DESCRIPTION: 'an argument of a tool or prompt has no description',
  CHECK_LONG_DESCRIPTION: 'the description of a tool is longer than a directory allows',
  CHECK_OVER_BUDGET: 'a tool costs a model more tokens than the budget allows',
  CHECK_NO_TITLE: 'a tool has no title, but directories of servers require one',
  CHECK_NO_HINT: 'a tool lacks annotations that a directory requires',
  CHECK_CONTRADICTING_HINTS: 'a tool is both read-only and destructive',
  CHECK_LIST_REFUSED: 'the server declares a capability, but refuses the list request of this capability',
  CHECK_HOST_REFUSES: 'a model host refuses every request that contains the tool',
  CHECK_HOST_IGNORES:
    'a model host ignores a part of an input schema, so a model possibly violates this part',
  CHECK_HOST_NOT_STRICT: 'a model host refuses the tool in strict mode',
} as const;

/** The code of a finding. */
export type CheckCode = keyof typeof CHECK_CODES;

/** A problem that `sigil check` has found in a server. */
export interface Finding {
  readonly code: CheckCode;
  /** The definition with the problem, such as `tool check_inventory`. */
  readonly where: string;
  readonly what: string;
  /** The URL of a page that documents the limit; only set if the finding is about a limit of a model host. */
  readonly source?: string;
}
