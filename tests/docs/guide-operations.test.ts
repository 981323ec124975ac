import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

const FOLDER = 'apps/inventory/operations';
const page = readFileSync('docs/guide/operations.md', 'utf8');
const rules = readFileSync(`${FOLDER}/alerts.yaml`, 'utf8');
const dashboard = readFileSync(`${FOLDER}/dashboard.json`, 'utf8');

test('the page says what each alert means, and names no other', () => {
  const { groups } = parse(rules) as { groups: { rules: { alert: string }[] }[] };
  const explained = [...page.matchAll(/^\| `([A-Z]\w+)` /gm)].map(([, name]) => name);
  expect(explained.sort()).toEqual(groups.flatMap((group) => group.rules.map(({ alert }) => alert)).sort());
});

test('the page names metrics that the dashboard or an alert asks for', () => {
  const named = page.match(/`(?:mcp|sigil|nodejs)_\w+`/g) ?? [];
  expect(named.length).toBeGreaterThan(5);
  for (const metric of named) expect(`${rules}${dashboard}`).toContain(metric.replaceAll('`', ''));
});

test('the page names panels that the dashboard has', () => {
  const { panels } = JSON.parse(dashboard) as { panels: { title: string }[] };
  const named = [...page.matchAll(/\b_([A-Z][^_]+)_/g)].map(([, title]) => title);
  expect(named.length).toBeGreaterThan(1);
  expect(panels.map(({ title }) => title)).toEqual(expect.arrayContaining(named));
});
