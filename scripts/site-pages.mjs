/** Writes the pages of the site that are made of others: one for each package, of its README. They are not kept in the repository. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const folder = new URL('docs/packages/', root);
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const name of await readdir(new URL('packages/', root))) {
  const title = name === 'create-mcp-app' ? name : `@sigil/${name}`;
  const { description } = JSON.parse(await readFile(new URL(`packages/${name}/package.json`, root), 'utf8'));
  const page = `---\ntitle: '${title}'\ndescription: ${JSON.stringify(description)}\n---\n\n<!--@include: ../../packages/${name}/README.md-->\n`;
  await writeFile(new URL(`${name}.md`, folder), page);
}
