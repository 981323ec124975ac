import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { visit } from 'unist-util-visit';

type Node = DefaultTreeAdapterTypes.Node;

const FOLDER = 'node_modules/.cache/site';

/** Where the site will be, with a slash at its end. */
export const HOMEPAGE = (JSON.parse(readFileSync('package.json', 'utf8')) as { homepage: string }).homepage;
const BASE = new URL(HOMEPAGE).pathname;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** Builds the site by `npm run docs`. @throws Error with the output where that fails, as at a dead link. */
export async function buildSite(): Promise<void> {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const building = promisify(execFile)('npm', ['run', 'docs'], { env, maxBuffer: 1 << 26 });
  await building.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`the site does not build:\n${stdout.slice(-3_000)}${stderr.slice(-3_000)}`);
  });
}

/** A page of the site, as it was built. */
export interface BuiltPage {
  /** Its path below the base, such as `guide/tasks.html`. */
  readonly path: string;
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly string[];
}

/** Every page of the built site, by its path below the base. */
export function builtPages(): ReadonlyMap<string, BuiltPage> {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  const pages = files.filter((file) => file.endsWith('.html')).map((path) => pageOf(path));
  return new Map(pages.map((page) => [page.path, page]));
}

/** The Markdown twins of the built site, without their anchors, which are those of the pages. */
export function builtTwins(): readonly Omit<BuiltPage, 'anchors'>[] {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.md'),
  );
  return files.map((path) => {
    const links: string[] = [];
    visit(fromMarkdown(readFileSync(join(FOLDER, path), 'utf8')), (node) => {
      if (node.type === 'link' || node.type === 'definition') links.push(node.url);
    });
    return { path, links };
  });
}

function pageOf(path: string): BuiltPage {
  const anchors = new Set<string>();
  const links: string[] = [];
  const visit = (node: Node): void => {
    if ('attrs' in node)
      for (const { name, value } of node.attrs) {
        if (name === 'id') anchors.add(value);
        else if ((name === 'href' && node.tagName === 'a') || name === 'src') links.push(value);
      }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(readFileSync(join(FOLDER, path), 'utf8')));
  return { path, anchors, links };
}

/** What is wrong with a link of a page of the site, if anything is. @param from the path of the page below the base. */
export function whyDead(
  pages: ReadonlyMap<string, BuiltPage>,
  from: string,
  link: string,
): string | undefined {
  const url = new URL(link, new URL(from, HOMEPAGE));
  if (!url.href.startsWith(HOMEPAGE)) return undefined;
  const path = decodeURIComponent(url.pathname.slice(BASE.length));
  const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
  const page = pages.get(file) ?? pages.get(`${file}.html`);
  if (!page) return existsSync(join(FOLDER, file)) ? undefined : `${from}: no page for ${link}`;
  const anchor = decodeURIComponent(url.hash.slice(1));
  return anchor === '' || page.anchors.has(anchor) ? undefined : `${from}: no heading for ${link}`;
}

/** Serves the built site, compressed as hosts of static pages do it. */
export async function serveSite(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://localhost').pathname);
    const name = path.endsWith('/') ? `${path}index.html` : path;
    const file = join(FOLDER, posix.normalize(name.slice(BASE.length - 1)));
    if (!path.startsWith(BASE) || !existsSync(file) || !statSync(file).isFile())
      return response.writeHead(404).end();
    response.setHeader('content-type', TYPES[extname(file)] ?? 'text/plain; charset=utf-8');
    const body = readFileSync(file);
    if (extname(file) === '.png') return response.end(body);
    return response.setHeader('content-encoding', 'gzip').end(gzipSync(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await promisify(server.close.bind(server))();
  };
  return { url: `http://127.0.0.1:${port}${BASE}`, close };
}
