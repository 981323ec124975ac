import { existsSync } from 'node:fs';
import { posix, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { HOMEPAGE, REPOSITORY, ROOT } from './place.js';

/** The anchor of a heading: the one that GitHub makes, so that a link works in both places. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/** Where a link of a page leads on the site. @param page its file in the repository, such as `docs/guide/tasks.md`. */
export function linkOn(page: string, link: string): string {
  if (link.startsWith(HOMEPAGE)) return `/${link.slice(HOMEPAGE.length)}`;
  if (/^([a-z]+:|#|\/)/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = posix.join(posix.dirname(page), path);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (target.startsWith('docs/')) return link;
  const name = /^packages\/([a-z-]+)(?:\/README\.md|\/)?$/.exec(target)?.[1];
  if (name !== undefined) return `/packages/${name}${hash}`;
  if (!existsSync(`${ROOT}${target}`)) return link;
  return `${REPOSITORY}/blob/main/${target}${hash}`;
}

/** Makes links to what is in the repository, but not on the site, lead to the repository. */
export function linksOfRepository(md: MarkdownRenderer): void {
  md.core.ruler.push('links-of-repository', ({ tokens, env }) => {
    const { path } = env as { path?: string };
    if (path === undefined) return; // VitePress looks for the title alone
    const page = relative(ROOT, path);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', linkOn(page, href));
    }
  });
}
