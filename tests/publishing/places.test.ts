import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { PUBLISHED } from './packages.js';

interface Places {
  readonly homepage: string;
  readonly repository: { readonly type: string; readonly url: string };
  readonly bugs: string;
}

const read = (path: string): Places => JSON.parse(readFileSync(path, 'utf8')) as Places;
const { homepage, repository, bugs } = read('package.json');
const source = repository.url.replace(/^git\+|\.git$/g, '');

test.each(PUBLISHED)('%s leads to the places that package.json at the root names', (folder) => {
  expect(read(`${folder}/package.json`)).toMatchObject({
    homepage: `${homepage}${folder}.html`,
    repository: { ...repository, directory: folder },
    bugs,
  });
});

test.each(PUBLISHED)('the README of %s links to these places, and to nothing relative', (folder) => {
  const text = readFileSync(`${folder}/README.md`, 'utf8');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !/^(https:\/\/|#)/.test(link))).toEqual([]);
  const ours = links.filter((link) =>
    /sigil/.test(new URL(link, homepage).host + new URL(link, homepage).pathname),
  );
  expect(ours.filter((link) => ![homepage, source, '#'].some((place) => link.startsWith(place)))).toEqual([]);
});
