import type { Rule, RuleTable } from './rule.js';

const HEX = '[0-9A-Fa-f]';

const versioned = (version: string): string =>
  `${HEX}{8}-${HEX}{4}-${version}${HEX}{3}-[89ABab]${HEX}{3}-${HEX}{12}`;

const NIL = '00000000-0000-0000-0000-000000000000';
const MAX = '[fF]{8}-[fF]{4}-[fF]{4}-[fF]{4}-[fF]{12}';

const FORMS: ReadonlyMap<string, string> = new Map([
  ...['1', '2', '3', '4', '5', '6', '7', '8'].map((version) => [version, versioned(version)] as const),
  ['nil', NIL],
  ['max', MAX],
  ['loose', `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`],
  ['all', `(?:${versioned('[1-8]')}|${NIL}|${MAX})`],
]);

const uuid: Rule = {
  keywords: ([version]) => {
    const pattern = patternFor(version);
    return { type: 'string', ...(pattern !== undefined && { pattern }) };
  },
  shown: () => ({ format: 'uuid' }),
  exact: ([version]) => patternFor(version) !== undefined,
};

/** `@IsUUID`, of one version, of some, or of any. */
export const UUID_RULES: RuleTable = { isUuid: uuid };

function patternFor(version: unknown): string | undefined {
  const forms = [version ?? 'all'].flat().map((one: unknown) => FORMS.get(`${one as string | number}`));
  if (forms.length === 0 || forms.includes(undefined)) return undefined;
  return forms.length === 1 ? `^${forms[0]}$` : `^(?:${forms.join('|')})$`;
}
