/**
 * Writes docs/llms.txt, by which coding agents find their way in the documentation (https://llmstxt.org): each page with its title
 * and the paragraph it begins with, and each package. With `--check` it writes nothing, and fails when the file is not what it would write.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const file = new URL('docs/llms.txt', root);

const pagesOf = async (folder) => {
  const entries = await readdir(new URL(folder, root));
  return entries
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}${name}`);
};

/** What each package says of itself. */
const readmes = async () => {
  const packages = await readdir(new URL('packages/', root));
  return packages.sort().map((name) => `packages/${name}/README.md`);
};

/** The title of a page, and the first paragraph below it, without links. */
async function describe(path) {
  const text = await readFile(new URL(path, root), 'utf8');
  const title = /^# (.*)$/m.exec(text)?.[1];
  const paragraph = text
    .replace(/^```[\s\S]*?^```$/gm, '')
    .split(/\n\n+/)
    .find((part) => /^[\w`*[]/.test(part.trim()));
  if (title === undefined || paragraph === undefined)
    throw new Error(`${path} needs a title, and a paragraph below it that says what the page is about`);
  const about = paragraph.replaceAll(/\s+/g, ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return { title: title.replaceAll('`', ''), about: about.trim() };
}

async function list(paths, base) {
  const lines = [];
  for (const path of paths) {
    const { title, about } = await describe(path);
    const link = path.startsWith(base) ? path.slice(base.length) : `../${path}`;
    lines.push(`- [${title}](${link}): ${about}`);
  }
  return lines.join('\n');
}

const { title, about } = await describe('README.md');
const guide = await list(await pagesOf('docs/guide/'), 'docs/');
const reference = await list(await pagesOf('docs/'), 'docs/');
const packages = await list(await readmes(), 'docs/');
const agents = 'packages/create-mcp-app/templates/minimal/AGENTS.md';
const text = `# ${title}

> ${about}

A complete server and the two commands that install and start it are at the top of [the README](../README.md). What a coding agent has to
know in a project made with \`create-mcp-app\` is in [AGENTS.md](../${agents}), which every such project has.

## Guide

${guide}

## Reference

${reference}

## Packages

${packages}
`;

if (!process.argv.includes('--check')) await writeFile(file, text);
else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
  console.error('docs/llms.txt is not up to date: run `npm run docs:llms`');
  process.exitCode = 1;
}
