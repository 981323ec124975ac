/** The codes of the findings of `sigil check`, with their meanings. */
export const CHECK_CODES = {
  CHECK_INVALID_NAME: 'a tool or prompt has a name that breaks the rules of the specification',
  CHECK_LONG_NAME: 'the name of a tool is longer than a directory allows',
  CHECK_NO_DESCRIPTION: 'a tool, prompt, resource or template has no description',
  CHECK_NO_ARGUMENT_DESCRIPTION: 'an argument of a tool or prompt has no description',
  CHECK_LONG_DESCRIPTION: 'the description of a tool is longer than a directory allows',
  CHECK_OVER_BUDGET: 'a tool costs a model more tokens than the budget allows',
  CHECK_NO_TITLE: 'a tool has no title, which a directory asks for',
  CHECK_NO_HINT: 'a tool does not say what it does to the world in the way a directory asks for',
  CHECK_CONTRADICTING_HINTS: 'a tool says that it only reads and that it destroys',
  CHECK_LIST_REFUSED: 'the server announces a feature and refuses its list',
  CHECK_HOST_REFUSES: 'a host of models refuses every request with the tool',
  CHECK_HOST_IGNORES:
    'a host of models ignores a part of an input schema, so a model is not told of it or not held to it',
  CHECK_HOST_NOT_STRICT: 'a host of models does not take the tool in strict mode',
} as const;

/** The code of a finding. */
export type CheckCode = keyof typeof CHECK_CODES;

/** A problem that `sigil check` has found in a server. */
export interface Finding {
  readonly code: CheckCode;
  /** The definition with the problem, such as `tool check_inventory`. */
  readonly where: string;
  readonly what: string;
  /** The documentation of a host's limit. */
  readonly source?: string;
}
