import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Client, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { DEFINITION_CODES, ERROR_CODES } from '@sigil/core';
import { codeBlocks, compile } from './code-blocks.js';
import { tableRows } from './tables.js';

const rows = (heading: string): Promise<string[][]> => tableRows('docs/errors.md', heading);
/** The text of a link. */
const nameOf = (cell = ''): string | undefined => /^\[(.*)\]/.exec(cell)?.[1];

describe('the page about errors', () => {
  test('leads to a page for each code, which says what, why and how to fix it', async () => {
    const codes = [...Object.keys(DEFINITION_CODES), ...Object.keys(ERROR_CODES)];
    expect(readdirSync('docs/errors').sort()).toEqual(codes.map((code) => `${code}.md`).sort());
    const [definitions, wire] = [
      await rows('Codes of definition errors'),
      await rows('Codes that cross the wire'),
    ];
    const meanings = [...definitions.map(([, meaning]) => meaning), ...wire.map(([, , meaning]) => meaning)];
    for (const [at, code] of codes.entries()) {
      const page = readFileSync(`docs/errors/${code}.md`, 'utf8');
      const [, title, what] =
        /^# (\w+)(?: \(-?\d+\))?\n\n([^\n]+(?:\n[^\n]+)*)\.\n\n## Why\n\n[^#]+\n\n## Fix\n\n[^#]+$/.exec(
          page,
        ) ?? [];
      expect([title, what?.replaceAll('`', '').replace('\n', ' ').toLowerCase()]).toEqual([
        code,
        meanings[at]?.toLowerCase(),
      ]);
    }
  });

  test('has every code of definition errors with its meaning, and no other', async () => {
    const shown = (await rows('Codes of definition errors')).map(([code, meaning]) => [
      nameOf(code),
      meaning?.replaceAll('`', ''),
    ]);
    const known = Object.entries(DEFINITION_CODES).map(([code, meaning]) => [
      code,
      meaning.replaceAll('`', ''),
    ]);
    expect(shown).toEqual(known);
  });

  test('has every code that crosses the wire, and no other', async () => {
    const shown = (await rows('Codes that cross the wire')).map(([code, name]) => [
      nameOf(name),
      Number(code),
    ]);
    expect(shown).toEqual(Object.entries(ERROR_CODES));
  });

  describe('shows a tool', () => {
    const compiled = { dist: '' };
    beforeAll(async () => {
      compiled.dist = await compile(await codeBlocks('docs/errors.md'), 'errors');
    }, 60_000);

    test.each(['legacy', 'auto'] as const)(
      'that says who did not answer, and goes on with an answer: %s client',
      async (mode) => {
        const answers: (() => ElicitResult)[] = [
          () => ({ action: 'accept', content: { name: 'Paris' } }),
          () => ({ action: 'decline' }),
          () => ({ action: 'accept', content: { name: 7 } }),
        ];
        const client = new Client(
          { name: 'reader', version: '1.0.0' },
          { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
        );
        client.setRequestHandler('elicitation/create', () => answers.shift()!());
        const args = [join(compiled.dist, 'errands.js')];
        await client.connect(
          new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }),
        );
        try {
          const plan = async (): Promise<unknown> => {
            const { content } = await client.callTool({ name: 'plan_errand', arguments: {} });
            return content?.[0] && 'text' in content[0] ? content[0].text : undefined;
          };
          expect(await plan()).toBe('Go to Paris');
          expect(await plan()).toBe('Stay at home');
          expect(await plan()).toBe('Nobody said where to: invalid');
        } finally {
          await client.close();
        }
      },
    );
  });
});
