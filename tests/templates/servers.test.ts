import { manifestOf } from '@sigil/core/manifest';
import { expect, test } from '@jest/globals';
import { checkManifest } from '@sigil/cli';
import { connect, textOf } from '@sigil/testing';
import { nameIn, SAMPLES, serverOf, TEMPLATES } from './template.js';

test.each(TEMPLATES)('sigil check finds nothing in %s', async (template) => {
  await using app = await serverOf(template);

  expect(checkManifest(manifestOf(app), { budget: 1000 }).findings).toEqual([]);
});

test.each(TEMPLATES)('%s answers its sample call', async (template) => {
  const { tool, arguments: args } = SAMPLES[template]!.sample;
  await using app = await serverOf(template);
  await using client = await connect(app);

  const result = await client.callTool(tool, args);

  expect(result.isError).toBeUndefined();
  expect(textOf(result)).not.toBe('');
});

test.each(TEMPLATES)('%s says its name and version as its package does', async (template) => {
  await using app = await serverOf(template);
  await using client = await connect(app, { revision: '2025-11-25' });

  expect(client.server?.serverInfo).toMatchObject({ name: nameIn(template), version: '0.1.0' });
});

test('every template has a sample and a description on one line, and no other', () => {
  expect(Object.keys(SAMPLES).sort()).toEqual(TEMPLATES);
  for (const { description } of Object.values(SAMPLES)) expect(description).toMatch(/^.{10,80}$/);
});
