import { describe, expect, test } from '@jest/globals';
import type { ManifestParts, ManifestTool } from '@sigil/core/manifest';
import { checkManifest } from '../../src/check/check-manifest.js';
import { tokensOf, type ToolRules } from '../../src/check/check-tool.js';
import { CHECK_CODES, type CheckCode } from '../../src/check/findings.js';
import { manifestWith } from '../fixtures/manifests.js';

const described = { type: 'object', properties: { sku: { type: 'string', description: 'A code' } } };
const good: ManifestTool = {
  name: 'stock',
  title: 'Stock',
  description: 'Stock of a product',
  inputSchema: described,
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
};
const short = {
  type: 'object',
  properties: { sku: { type: 'string', maxLength: 8, description: 'A code' } },
};
const BASE: ToolRules = { budget: 1000 };

const found = (parts: Partial<ManifestParts>, rules: ToolRules = BASE) =>
  checkManifest(manifestWith(parts), rules).findings.map(({ code, where }) => `${code} ${where}`);
const withTool = (more: Partial<ManifestTool>) => ({ tools: [{ ...good, ...more }] });
const without = (...members: (keyof ManifestTool)[]) => {
  const entries = Object.entries(good).filter(([key]) => !members.includes(key as keyof ManifestTool));
  return { tools: [Object.fromEntries(entries) as unknown as ManifestTool] };
};

describe('checking a manifest', () => {
  const cases: [CheckCode, Partial<ManifestParts>, string, ToolRules?][] = [
    ['CHECK_INVALID_NAME', withTool({ name: 'my tool' }), 'tool my tool'],
    ['CHECK_INVALID_NAME', { prompts: [{ name: 'ä', description: 'x' }] }, 'prompt ä'],
    [
      'CHECK_LONG_NAME',
      withTool({ name: 'x'.repeat(65) }),
      `tool ${'x'.repeat(65)}`,
      { ...BASE, profile: 'claude' },
    ],
    ['CHECK_NO_DESCRIPTION', without('description'), 'tool stock'],
    ['CHECK_NO_DESCRIPTION', { prompts: [{ name: 'advise' }] }, 'prompt advise'],
    ['CHECK_NO_DESCRIPTION', { resources: [{ name: 'all', uri: 'shop://all' }] }, 'resource shop://all'],
    [
      'CHECK_NO_DESCRIPTION',
      { resourceTemplates: [{ name: 'a', uriTemplate: 'a://{b}' }] },
      'template a://{b}',
    ],
    ['CHECK_NO_ARGUMENT_DESCRIPTION', withTool({ inputSchema: { properties: { a: {} } } }), 'tool stock'],
    [
      'CHECK_NO_ARGUMENT_DESCRIPTION',
      { prompts: [{ name: 'advise', description: 'x', arguments: [{ name: 'a' }] }] },
      'prompt advise',
    ],
    [
      'CHECK_LONG_DESCRIPTION',
      withTool({ description: 'x'.repeat(201) }),
      'tool stock',
      { ...BASE, profile: 'chatgpt' },
    ],
    ['CHECK_OVER_BUDGET', { tools: [good] }, 'tool stock', { budget: tokensOf(good) - 1 }],
    ['CHECK_NO_TITLE', without('title'), 'tool stock', { ...BASE, profile: 'claude' }],
    ['CHECK_NO_HINT', without('annotations'), 'tool stock', { ...BASE, profile: 'claude' }],
    [
      'CHECK_NO_HINT',
      withTool({ annotations: { readOnlyHint: true, destructiveHint: false } }),
      'tool stock',
      { ...BASE, profile: 'chatgpt' },
    ],
    [
      'CHECK_CONTRADICTING_HINTS',
      withTool({ annotations: { readOnlyHint: true, destructiveHint: true } }),
      'tool stock',
    ],
    [
      'CHECK_HOST_REFUSES',
      withTool({ name: 'shop.stock' }),
      'tool shop.stock',
      { ...BASE, hosts: ['openai'] },
    ],
    ['CHECK_HOST_IGNORES', withTool({ inputSchema: short }), 'tool stock', { ...BASE, hosts: ['gemini'] }],
    [
      'CHECK_HOST_NOT_STRICT',
      withTool({ inputSchema: { ...short, additionalProperties: false } }),
      'tool stock',
      { ...BASE, hosts: ['anthropic'], strict: true },
    ],
  ];

  test.each(cases)('finds %s', (...[code, parts, where, rules = BASE]) => {
    expect(found(parts, rules)).toEqual([`${code} ${where}`]);
  });

  test('has a case for every code', () => {
    // What a server answers is no part of a manifest: `tests/e2e/sigil-command.test.ts` has its case.
    const codes = [...cases.map(([code]) => code), 'CHECK_LIST_REFUSED'];
    expect(new Set(codes)).toEqual(new Set(Object.keys(CHECK_CODES)));
  });

  test.each<ToolRules>([
    { budget: tokensOf(good) },
    { ...BASE, profile: 'claude' },
    { ...BASE, profile: 'chatgpt' },
    { ...BASE, hosts: ['openai', 'gemini', 'anthropic'] },
  ])('finds nothing wrong with a good tool by %j', (rules) => {
    expect(found({ tools: [good] }, rules)).toEqual([]);
  });

  test('takes a title within the annotations, and one hint of two, where a directory does', () => {
    const { tools } = without('title', 'annotations');
    const annotated = tools.map((tool) => ({
      ...tool,
      annotations: { title: 'Stock', destructiveHint: true },
    }));
    expect(found({ tools: annotated }, { ...BASE, profile: 'claude' })).toEqual([]);
  });

  test('finds descriptions behind references', () => {
    const inputSchema = {
      properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/b' } },
      $defs: { a: { description: 'A' }, b: {} },
    };
    expect(checkManifest(manifestWith(withTool({ inputSchema })), BASE).findings).toEqual([
      {
        code: 'CHECK_NO_ARGUMENT_DESCRIPTION',
        where: 'tool stock',
        what: "the argument 'b' has no description",
      },
    ]);
  });

  test('counts nothing for a tool that no model is shown', () => {
    const hidden = { ...good, name: 'my.tool', _meta: { ui: { visibility: ['app'] } } };
    expect(tokensOf(hidden)).toBe(0);
    expect(found({ tools: [hidden] }, { ...BASE, hosts: ['openai'] })).toEqual([]);
    expect(tokensOf({ ...good, _meta: { ui: { visibility: ['app', 'model'] } } })).toBe(tokensOf(good));
  });

  test('counts what a model is shown of each tool, and of all', () => {
    const { tokens, totalTokens } = checkManifest(
      manifestWith({ tools: [good, { ...good, name: 'sold' }] }),
      BASE,
    );
    const shown = JSON.stringify({
      name: good.name,
      description: good.description,
      inputSchema: good.inputSchema,
    });
    expect(tokens).toEqual({ stock: Math.ceil(shown.length / 4), sold: expect.any(Number) });
    expect(totalTokens).toBe((tokens['stock'] ?? 0) + (tokens['sold'] ?? 0));
  });
});
