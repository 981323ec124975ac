import { expect, test } from '@jest/globals';
import { defineResource } from '../../src/index.js';
import type { TemplateEntry } from '../../src/registry/entry.js';
import { Registry } from '../../src/registry/registry.js';
import { partsOf } from '../../src/server/app-parts.js';
import { appOf } from '../harness.js';

/** A registry with these templates, which takes note of those that look at a URI. */
async function registryOf(...uris: readonly string[]): Promise<{ registry: Registry; looked: string[] }> {
  const definitions = uris.map((uri, at) => defineResource({ name: `r${at}`, uri, handle: () => '' }));
  const registry = new Registry();
  const looked: string[] = [];
  for (const entry of partsOf(await appOf({ definitions })).registry.templates) {
    const noted: TemplateEntry = {
      ...entry,
      match: (uri) => {
        looked.push(entry.key);
        return entry.match(uri);
      },
    };
    registry.templates.set(noted);
  }
  return { registry, looked };
}

test('a URI is looked at by the templates alone whose beginning it has', async () => {
  const { registry, looked } = await registryOf('a://{id}', 'b://{id}', 'b://items/{id}');
  expect(registry.resolveUri('b://items/7')?.variables).toEqual({ id: '7' });
  expect(looked).toEqual(['b://{id}', 'b://items/{id}']);
  expect(registry.resolveUri('d://items/7')).toBeUndefined();
  expect(looked).toHaveLength(2);
});

test('the template that was added first serves a URI, whatever it begins with', async () => {
  const { registry } = await registryOf('a://{+path}', 'a://items/{id}');
  expect(registry.resolveUri('a://items/7')?.entry.key).toBe('a://{+path}');
  const other = await registryOf('a://items/{id}', 'a://{+path}');
  expect(other.registry.resolveUri('a://items/7')?.entry.key).toBe('a://items/{id}');
});

test('a template that comes or goes later is found, or not', async () => {
  const { registry } = await registryOf('a://{id}', 'b://{id}');
  const [, later] = [...registry.templates];
  registry.templates.delete('b://{id}');
  expect(registry.resolveUri('b://7')).toBeUndefined();
  if (later) registry.templates.set(later);
  expect(registry.resolveUri('b://7')?.entry.key).toBe('b://{id}');
});
