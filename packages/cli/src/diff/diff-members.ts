import { canonicalJson } from '@sigil/core/internal';
import { compareSchemas } from '../schema/compare-schemas.js';
import { type Effect, shown } from '../schema/difference.js';

/**
 * The effect of a change on clients. `breaking`: some clients can fail. `additive`: no client fails. `wording`: only
 * texts have changed.
 */
export type ChangeLevel = 'breaking' | 'additive' | 'wording';

/** One change between two manifests. */
export interface ManifestChange {
  readonly level: ChangeLevel;
  /** The changed definition, such as `tool check_inventory`; `server` for a change of the server itself. */
  readonly where: string;
  /** The place within the definition, such as `input.sku`; empty for the whole definition. */
  readonly path: string;
  readonly what: string;
}

/** Every level, the most serious first. */
export const CHANGE_LEVELS: readonly ChangeLevel[] = ['breaking', 'additive', 'wording'];

/**
 * The change level for each kind of difference between two input schemas. A narrower schema is breaking, because it
 * refuses values that clients possibly send.
 */
export const INPUT_LEVELS: Readonly<Record<Effect, ChangeLevel>> = {
  narrower: 'breaking',
  wider: 'additive',
  other: 'breaking',
  'property added': 'additive',
  'required property added': 'breaking',
  'property removed': 'breaking',
  'required property removed': 'breaking',
  wording: 'wording',
};

/**
 * The change level for each kind of difference between two output schemas. A wider schema is breaking, because it
 * allows values that clients possibly do not expect.
 */
export const OUTPUT_LEVELS: Readonly<Record<Effect, ChangeLevel>> = {
  narrower: 'additive',
  wider: 'breaking',
  other: 'breaking',
  'property added': 'additive',
  'required property added': 'additive',
  'property removed': 'breaking',
  'required property removed': 'breaking',
  wording: 'wording',
};

/**
 * A function that creates a change of one definition. It receives the level, the place within the definition, and a
 * description of the change.
 */
export type ReportChange = (level: ChangeLevel, path: string, what: string) => ManifestChange;

/** Compares members that clients only display. */
export function diffWording<E extends object>(
  before: E,
  after: E,
  members: readonly string[],
  place: ReportChange,
): ManifestChange[] {
  return members.flatMap((member) => {
    const [was, is] = [before[member as keyof E], after[member as keyof E]];
    return canonicalJson(was) === canonicalJson(is)
      ? []
      : [place('wording', member, `${shown(was)} → ${shown(is)}`)];
  });
}

/**
 * Compares two objects, except for their members in `known`. An added member is `additive`; a removed or changed member
 * is `breaking`.
 */
export function diffOthers<E extends object>(
  before: E,
  after: E,
  known: readonly string[],
  place: ReportChange,
): ManifestChange[] {
  const members = Object.keys({ ...before, ...after }).sort();
  return members.flatMap((member) => {
    const [was, is] = [before[member as keyof E], after[member as keyof E]];
    if (known.includes(member) || canonicalJson(was) === canonicalJson(is)) return [];
    return [place(was === undefined ? 'additive' : 'breaking', member, `${shown(was)} → ${shown(is)}`)];
  });
}

/** Compares two schemas. @param levels the change level for each effect. */
export function diffSchemas(
  member: string,
  before: unknown,
  after: unknown,
  levels: Readonly<Record<Effect, ChangeLevel>>,
  place: ReportChange,
): ManifestChange[] {
  return compareSchemas(before, after).map(({ effect, path, what }) => {
    const within =
      path === ''
        ? member
        : path.startsWith('[') || path.startsWith('.')
          ? member + path
          : `${member}.${path}`;
    return place(levels[effect], within, what);
  });
}

/** The access rules of an entry, as a manifest has them. */
interface Guarded {
  readonly guarded?: boolean;
  readonly scopes?: readonly string[];
}

/**
 * Compares the access rules of a definition. A new guard or scope can exclude some clients. Only manifests of Sigil
 * servers contain access rules.
 */
export function diffGuards(before: Guarded, after: Guarded, place: ReportChange): ManifestChange[] {
  const [was, is] = [before.guarded, after.guarded];
  if (was === undefined || is === undefined) return [];
  const { scopes: needed = [] } = before;
  const { scopes: needs = [] } = after;
  return [
    ...(was === is
      ? []
      : [place(is ? 'breaking' : 'additive', '', is ? 'now guarded' : 'no longer guarded')]),
    ...needs
      .filter((scope) => !needed.includes(scope))
      .map((scope) => place('breaking', 'scopes', `now needs ${scope}`)),
    ...needed
      .filter((scope) => !needs.includes(scope))
      .map((scope) => place('additive', 'scopes', `no longer needs ${scope}`)),
  ];
}

/** Compares two lists of names, such as the names of arguments with completion. */
export function diffListed(
  member: 'completes',
  before: { readonly [member]?: readonly string[] },
  after: { readonly [member]?: readonly string[] },
  place: ReportChange,
): ManifestChange[] {
  const [was, is] = [before[member] ?? [], after[member] ?? []];
  return [
    ...was.filter((name) => !is.includes(name)).map((name) => place('breaking', member, `no longer ${name}`)),
    ...is.filter((name) => !was.includes(name)).map((name) => place('additive', member, `also ${name}`)),
  ];
}
