import type { ExtensionCall, ExtensionHost, ExtensionMethod } from '@sigil/core';
import { pageOf } from './page.js';
import { notServed, readUri } from './read-uri.js';
import type { ServedFiles } from './served-files.js';
import type { Skill } from './skill.js';

/** `skills/list` and `skills/get` (SEP-2640, "Discovery"). */
export function skillMethods(
  skills: readonly Skill[],
  served: ServedFiles,
  { pageSize }: ExtensionHost,
): Readonly<Record<string, ExtensionMethod>> {
  const byUri = new Map(skills.map((skill) => [skill.main.uri, skill]));

  /** A skill as its caller sees it; `undefined` when its `SKILL.md` is hidden. */
  async function entryOf(call: ExtensionCall, skill: Skill): Promise<object | undefined> {
    if (!(await served.find(call, skill.main.uri))) return undefined;
    const resources = (await served.visible(call, skill.files)).map(({ uri, digest, size }) => ({
      uri,
      digest,
      size,
    }));
    return { uri: skill.main.uri, frontmatter: skill.frontmatter, resources };
  }

  return {
    'skills/list': {
      undeclared: true,
      async serve(call, { cursor }) {
        const { shown, next } = await pageOf(skills, cursor, pageSize, (skill) => entryOf(call, skill));
        return { skills: shown, ...next, ...served.cache };
      },
    },
    'skills/get': {
      undeclared: true,
      async serve(call, params) {
        const uri = readUri(params);
        const found = byUri.get(uri);
        const skill = found && (await entryOf(call, found));
        if (!skill) throw notServed('skill', uri);
        return { skill, ...served.cache };
      },
    },
  };
}
