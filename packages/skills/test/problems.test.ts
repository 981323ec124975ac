import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { skills } from '../src/index.js';
import { type Files, folder, skillMd } from './fixtures/folder.js';
import { problemsOf, serve } from './fixtures/serve.js';

const good = { 'good/SKILL.md': skillMd('good') };

describe('a folder of skills', () => {
  test('is refused with everything that is wrong in it, at once', async () => {
    const problems = await problemsOf({
      'SKILL.md': skillMd('root'),
      'a/SKILL.md': '# No frontmatter',
      'b/SKILL.md': skillMd('other'),
      'c/SKILL.md': '---\nname: c\n---\n',
      'D/SKILL.md': skillMd('D'),
    });
    expect(problems).toMatchObject([
      { code: 'SIGIL_INVALID_SKILL', where: "skills('SKILL.md')" },
      { where: "skills('D/SKILL.md')", what: expect.stringContaining('lower-case') },
      {
        where: "skills('a/SKILL.md')",
        what: expect.stringContaining('does not begin with YAML frontmatter'),
      },
      {
        where: "skills('b/SKILL.md')",
        what: "the name 'other' in its frontmatter differs from the name of its folder, 'b'",
      },
      { where: "skills('c/SKILL.md')", what: expect.stringContaining('description') },
    ]);
    expect(problems.every(({ code, fix }) => code === 'SIGIL_INVALID_SKILL' && fix !== '')).toBe(true);
  });

  test.each([
    ['a list', '- a'],
    ['no end', 'name: [a'],
    ['a member twice', 'name: a\nname: a'],
    ['a tag of its own', 'name: a\ndescription: !secret a'],
    ['a number that JSON does not know', 'name: a\ndescription: a\nsize: .inf'],
    ['a circle', 'name: a\ndescription: a\nself: &x [*x]'],
    ['keys that are no text', 'name: a\ndescription: a\n? [a]\n: b'],
    [
      'a bomb',
      `name: a\ndescription: a\na: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c, *c]`,
    ],
    ['no text', 'name: a\ndescription: 5'],
  ])('is refused when a frontmatter has %s', async (_what, yaml) => {
    expect(await problemsOf({ 'a/SKILL.md': `---\n${yaml}\n---\n` })).toMatchObject([
      { code: 'SIGIL_INVALID_SKILL', where: "skills('a/SKILL.md')" },
    ]);
  });

  test.each(['-a', 'a-', 'a--b', 'a_b', 'ü', 'a'.repeat(65)])(
    'is refused when a skill is called %p',
    async (name) => {
      expect(await problemsOf({ [`${name}/SKILL.md`]: skillMd(name) })).toMatchObject([
        { code: 'SIGIL_INVALID_SKILL' },
      ]);
    },
  );

  test('is refused when a SKILL.md is no text', async () => {
    const problems = await problemsOf({ 'a/SKILL.md': new Uint8Array([0xff, 0xfe]) });
    expect(problems).toMatchObject([{ what: 'it is not UTF-8 text' }]);
  });

  test('is refused when it is not there, or not a folder of files', async () => {
    for (const url of [new URL('file:///no/such/folder/'), new URL('https://example.com/')]) {
      expect(await problemsOf(url)).toMatchObject([
        { code: 'SIGIL_INVALID_SKILL', where: `skills('${url.href}')` },
      ]);
    }
  });

  const deep: Files = { 'a/b/c/SKILL.md': skillMd('c') };
  test.each([
    ['files', { ...good, 'good/a': 'a' }, { maxFiles: 1 }],
    ['bytes in a file', { ...good, 'good/a': 'a'.repeat(101) }, { maxFileBytes: 100 }],
    ['bytes', { ...good, 'good/a': 'a'.repeat(101) }, { maxBytes: 100 }],
    ['folders within each other', deep, { maxDepth: 2 }],
  ])('is refused when it has too many %s', async (_what, files, options) => {
    expect(await problemsOf(files, options)).toMatchObject([{ code: 'SIGIL_INVALID_SKILL' }]);
  });

  test('is refused when a skill has more files than hosts take', async () => {
    const files = Object.fromEntries(Array.from({ length: 512 }, (_, at) => [`good/${at}`, '']));
    expect(await problemsOf({ ...good, ...files })).toMatchObject([
      { where: "skills('good/SKILL.md')", what: expect.stringContaining('512') },
    ]);
  });

  test.each([0, -1, 1.5, Number.NaN])('is not read with a limit of %p', async (maxFiles) => {
    expect(await problemsOf(good, { maxFiles })).toContainEqual(
      expect.objectContaining({ code: 'SIGIL_INVALID_OPTIONS' }),
    );
  });
});

describe('links in a folder of skills', () => {
  function linked(target: (path: string) => string, files: Files = good): URL {
    const { path, url } = folder(files);
    symlinkSync(target(path), join(path, 'good/link'));
    return url;
  }

  test('are refused when they leave it', async () => {
    const outside = folder({ 'secret.txt': 'secret' });
    for (const target of [outside.path, join(outside.path, 'secret.txt'), '/etc/hostname']) {
      expect(await problemsOf(linked(() => target))).toMatchObject([
        { where: "skills('good/link')", what: expect.stringContaining('outside of the folder of skills') },
      ]);
    }
  });

  test('are refused when they lead nowhere, or in a circle', async () => {
    expect(await problemsOf(linked((path) => join(path, 'none')))).toMatchObject([
      { what: expect.stringContaining('cannot be read') },
    ]);
    expect(await problemsOf(linked((path) => path))).toMatchObject([
      { what: 'it is a link to one of its parent folders' },
    ]);
  });

  test('are followed within it', async () => {
    const url = linked((path) => join(path, 'shared.txt'), { ...good, 'shared.txt': 'shared' });
    expect(await (await serve(url)).readResource('skill://good/link')).toMatchObject({
      contents: [{ text: 'shared' }],
    });
  });
});

test.each([
  [{ guard: [() => false] }, 'write guards'],
  [{ guards: 5 }, 'write guards: [...]'],
  [null, 'its options must be an object'],
])('the options %j are refused', async (options, message) => {
  await expect(skills(new URL('./fixtures/', import.meta.url), options as never)).rejects.toThrow(message);
});
