import { parseDocument } from 'yaml';

/** The frontmatter of a skill, as JSON. */
export type Frontmatter = Readonly<Record<string, unknown>>;

const BLOCK = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/**
 * Reads the YAML frontmatter of a `SKILL.md`, every member as its author wrote it (SEP-2640, "Frontmatter").
 *
 * @throws Error that says what is wrong with it.
 */
export function readFrontmatter(text: string): Frontmatter {
  const block = BLOCK.exec(text)?.[1];
  if (block === undefined)
    throw new Error('it does not begin with YAML frontmatter between two lines of ---');
  const document = parseDocument(block, { schema: 'core', stringKeys: true });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault) throw new Error(`its frontmatter is no plain YAML: ${fault.message.split('\n')[0] ?? ''}`);
  const value: unknown = document.toJS();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('its frontmatter has no members');
  }
  return asJson(value);
}

function asJson(value: object): Frontmatter {
  const json = JSON.stringify(value, (key, member: unknown) => {
    if (typeof member === 'number' && !Number.isFinite(member)) {
      throw new Error(`its frontmatter has a number that JSON does not know, '${key}'`);
    }
    return member;
  });
  return JSON.parse(json) as Frontmatter;
}
