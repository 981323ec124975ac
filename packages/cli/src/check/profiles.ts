import type { ToolAnnotations } from '@sigil/core';

type Hint = 'readOnlyHint' | 'destructiveHint' | 'openWorldHint';

/** What a directory asks of the tools it lists, beyond the specification. */
export interface Profile {
  readonly needsTitle: boolean;
  /** Groups of hints: of each, one at least must be given. */
  readonly hints: readonly (readonly Hint[])[];
  /** Most characters of a name; as the specification says unless given. */
  readonly maxNameLength?: number;
  /** Most characters of a description; any number unless given. */
  readonly maxDescriptionLength?: number;
}

/** The name of a directory. */
export type ProfileName = 'claude' | 'chatgpt';

/** The directories whose reviews are known. */
export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  // https://claude.com/docs/connectors/building/review-criteria
  claude: { needsTitle: true, hints: [['readOnlyHint', 'destructiveHint']], maxNameLength: 64 },
  // The directory refuses tools that leave one of the three hints out, and longer descriptions.
  chatgpt: {
    needsTitle: false,
    hints: [['readOnlyHint'], ['destructiveHint'], ['openWorldHint']],
    maxDescriptionLength: 200,
  },
};

/** Whether a text is the name of a directory. */
export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(PROFILES, name);
}

/** The groups of hints that annotations leave out entirely. */
export function missingHints(
  { hints }: Profile,
  annotations: ToolAnnotations = {},
): readonly (readonly Hint[])[] {
  return hints.filter((group) => group.every((hint) => annotations[hint] === undefined));
}
