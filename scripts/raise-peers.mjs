/**
 * Has every package ask for neighbours of its own minor version or newer, after `changeset version` has given all of them
 * the same version. Changesets itself would call every release a major one: `^0.1.0` does not reach 0.2.0, and a peer out of
 * range is a breaking change to it. So these ranges are open up to the next major version, and are raised here.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';

const packages = new URL('../packages/', import.meta.url);
const manifests = new Map();
for (const name of await readdir(packages)) {
  const file = new URL(`${name}/package.json`, packages);
  manifests.set(file, JSON.parse(await readFile(file, 'utf8')));
}
const versions = new Map([...manifests.values()].map(({ name, version }) => [name, version]));

for (const [file, manifest] of manifests) {
  for (const peer of Object.keys(manifest.peerDependencies ?? {})) {
    if (!versions.has(peer)) continue;
    const [major, minor] = versions.get(peer).split('.').map(Number);
    manifest.peerDependencies[peer] = `>=${major}.${minor}.0 <${major + 1}.0.0`;
  }
  await writeFile(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

// The project of the guide asks for the packages that it is tested with.
const page = new URL('../docs/guide/existing-project.md', import.meta.url);
const raised = (await readFile(page, 'utf8')).replace(
  /"(@sigil\/[\w-]+)": "[^"]*"/g,
  (_, name) => `"${name}": "^${versions.get(name)}"`,
);
await writeFile(page, raised);
