/**
 * Writes where the project is into what npm shows of every package: `homepage`, `repository` and `bugs` of the package.json at the root,
 * and the links of the README of each package. To change a place, change it there, and run `npm run packages:places`.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const { homepage, repository, bugs } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
const source = repository.url.replace(/^git\+|\.git$/g, '');

/** Puts the places behind the description. */
function placed({ name, description, homepage: _h, repository: _r, bugs: _b, ...rest }, folder) {
  return {
    name,
    description,
    homepage: `${homepage}${folder}.html`,
    repository: { ...repository, directory: folder },
    bugs,
    ...rest,
  };
}

for (const name of await readdir(new URL('packages/', root))) {
  const folder = `packages/${name}`;
  const file = new URL(`${folder}/package.json`, root);
  const before = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, `${JSON.stringify(placed(before, folder), undefined, 2)}\n`);
  const readme = new URL(`${folder}/README.md`, root);
  let text = await readFile(readme, 'utf8');
  const formerSite = before.homepage?.slice(0, -`${folder}.html`.length);
  const formerSource = before.repository?.url.replace(/^git\+|\.git$/g, '');
  if (formerSite) text = text.replaceAll(formerSite, homepage);
  if (formerSource) text = text.replaceAll(formerSource, source);
  await writeFile(readme, text);
}
