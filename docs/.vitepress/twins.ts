import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { visit } from 'unist-util-visit';
import { linkOn } from './links.js';
import { BASE, ROOT } from './place.js';

/**
 * Makes the links of the Markdown twins lead to other twins, or to the repository. The twins have the links of the sources.
 *
 * @param site the folder of the built site.
 */
export function linkTwins(site: string): void {
  const twins = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.md'),
  );
  for (const twin of twins) {
    const file = join(site, twin);
    const text = readFileSync(file, 'utf8');
    // The source of a twin can be the index of a folder.
    const index = `docs/${twin.replace(/\.md$/, '/index.md')}`;
    const source = existsSync(ROOT + index) ? index : `docs/${twin}`;
    const parts: string[] = [];
    let end = 0;
    visit(fromMarkdown(text), (node) => {
      if ((node.type !== 'link' && node.type !== 'definition') || !node.position) return;
      const { url, position } = node;
      const linked = twinLink(site, source, url);
      const at = text.lastIndexOf(url, position.end.offset);
      if (linked === url || at < (position.start.offset ?? 0)) return;
      parts.push(text.slice(end, at), linked);
      end = at + url.length;
    });
    if (end > 0) writeFileSync(file, parts.join('') + text.slice(end));
  }
}

function twinLink(site: string, source: string, url: string): string {
  const link = linkOn(source, url);
  if (/^([a-z]+:|#)/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = path.startsWith('/')
    ? path.slice(1)
    : posix.join(posix.dirname(source), path).slice('docs/'.length);
  const name = target.replace(/(\/index)?\.md$|\.html$|\/$/, '');
  if (!existsSync(join(site, `${name}.md`))) return link;
  return `${BASE}${name}.md${anchor === undefined ? '' : `#${anchor}`}`;
}
