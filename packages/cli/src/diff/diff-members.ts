import { canonicalJson } from '@sigil/core/internal';
import { compareSchemas } from '../schema/compare-schemas.js';
import { type Effect, shown } from '../schema/difference.js';

/** What a change does to clients: some of them fail, none of them fails, or nothing but words has changed. */
export type ChangeLevel = 'breaking' | 'additive' | 'wording';

/** One change of a manifest. */
export interface ManifestChange {
  readonly level: ChangeLevel;
  /** What changed, such as `tool check_inventory`, or `server`. */
  readonly where: string;
  /** The place within it, such as `input.sku`; empty for the whole. */
  readonly path: string;
  readonly what: string;
}

/** Every level, the gravest first. */
export const CHANGE_LEVELS: readonly ChangeLevel[] = ['breaking', 'additive', 'wording'];

/**
 * What a difference between two input schemas does to those who send: narrower refuses what they may send, so inputs are
 * contravariant.
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

/** What a difference between two output schemas does to those who read: wider surprises them, so outputs are covariant. */
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

/** Makes a change of one place of a manifest. */
export type ReportChange = (level: ChangeLevel, path: string, what: string) => ManifestChange;

/** Compares members that clients show and do not act on. */
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

/** Compares the members that nothing else compares: what is gone, or is another, may break clients. */
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

/** Compares two schemas. @param levels what each effect does to clients. */
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

/** Who may use an entry, as a manifest says it. */
interface Guarded {
  readonly guarded?: boolean;
  readonly scopes?: readonly string[];
}

/** A guard or a scope that was not needed may keep some from what they used. Manifests of other servers do not say. */
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

/** Compares lists of names that offer something each. */
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
