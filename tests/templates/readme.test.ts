import { describe, expect, test } from '@jest/globals';
import { filesOf, manifestOf, nameIn, read, TEMPLATES } from './template.js';

/** The blocks of a language in the README of a template. */
function blocks(template: string, language: string): string[] {
  const text = read(template, 'README.md');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, found, code = '']) =>
    found === language ? [code] : [],
  );
}

/** A section of the README of a template, its name replaced by that of the project. */
function section(template: string, title: string): string | undefined {
  const text = read(template, 'README.md').replaceAll(nameIn(template), 'project');
  return text.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
}

describe.each(TEMPLATES)('the README of the template %s', (template) => {
  const { scripts } = manifestOf(template);
  const text = read(template, 'README.md');

  test('names scripts that are there, and every script that is there', () => {
    const commands = [...text.matchAll(/\bnpm (?:run )?(\w+)/g)].map(([, script]) => script);

    expect([...new Set(commands)].sort()).toEqual(['install', ...Object.keys(scripts)].sort());
  });

  test('has JSON that a client can read', () => {
    const found = blocks(template, 'json');

    expect(found.length).toBeGreaterThan(1);
    for (const json of found) {
      const parsed = JSON.parse(json) as Record<string, Record<string, object>>;
      expect(Object.keys(parsed['mcpServers'] ?? parsed['servers'] ?? {})).toEqual([nameIn(template)]);
    }
  });

  test('tells what to do in every client', () => {
    for (const client of ['Claude Desktop', 'Claude Code', 'VS Code', 'Cursor'])
      expect(text).toContain(`**${client}**`);
    for (const word of [
      'claude_desktop_config.json',
      'claude mcp add',
      '.vscode/mcp.json',
      '.cursor/mcp.json',
      'npx @modelcontextprotocol/inspector',
    ])
      expect(text).toContain(word);
  });

  test('names files that are there', () => {
    const named = [...text.matchAll(/`((?:src|test)\/[^`]*)`/g)].map(([, path = '']) => path);
    const files = filesOf(template);

    expect(named.length).toBeGreaterThan(3);
    for (const path of named) expect(files).toContainEqual(expect.stringContaining(path));
  });

  test('has no language but those that are checked', () => {
    const languages = [...text.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);

    expect([...new Set(languages)].sort()).toEqual(['json', 'sh']);
  });
});

test.each(['Using it in a client', 'Inspecting the server'])(
  'minimal and full say the same about %j',
  (title) => {
    expect(section('full', title)).toBeDefined();
    expect(section('full', title)).toBe(section('minimal', title));
  },
);

test('every template says the same about adding more', () => {
  const sections = TEMPLATES.map((template) => section(template, 'Adding more'));

  expect(sections[0]).toContain('npx create-mcp-app add tool <name>');
  expect(new Set(sections).size).toBe(1);
});
