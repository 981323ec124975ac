import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type App, defineTool } from '../../src/index.js';
import { type JsonSchema, PROTOCOL_VERSIONS } from '../../src/protocol.js';
import { appOf, clientOf, type Json, textOf } from '../harness.js';

const WITH_STRUCTURE = PROTOCOL_VERSIONS.slice(2);

async function appWith(value: unknown, output?: JsonSchema): Promise<App> {
  const tool = defineTool({ name: 'give', handle: () => value, ...(output ? { output } : {}) });
  return appOf({ definitions: [tool] });
}

describe('structured content', () => {
  test.each(WITH_STRUCTURE)('is an object as it is in %s', async (version) => {
    const result = await (await clientOf(await appWith({ a: 1 }), version)).call('give');
    expect(result['structuredContent']).toEqual({ a: 1 });
    expect(textOf(result)).toBe('{"a":1}');
  });

  test.each<[string, JsonSchema, unknown]>([
    ['an array', { type: 'array', items: { type: 'number' } }, [1, 2]],
    ['an empty array', { type: 'array' }, []],
    ['zero', { type: 'number' }, 0],
    ['false', { type: 'boolean' }, false],
    ['an empty string', { type: 'string' }, ''],
    ['null', { type: 'null' }, null],
  ])('that is %s is wrapped for 2025 only, its text never [checklist 33]', async (_, output, value) => {
    const app = await appWith(value, output);
    for (const version of WITH_STRUCTURE) {
      const client = await clientOf(app, version);
      const [tool] = await client.list('tools');
      const result = await client.call('give');
      const wrapped = version !== '2026-07-28';
      expect(result['structuredContent']).toEqual(wrapped ? { result: value } : value);
      expect(textOf(result)).toBe(JSON.stringify(value));
      expect(tool?.['outputSchema']).toEqual(
        wrapped ? { type: 'object', properties: { result: output }, required: ['result'] } : output,
      );
    }
  });

  test.each<[string, JsonSchema, unknown]>([
    ['an object', { type: 'object', properties: { a: { type: 'number' } } }, { a: 1 }],
    ['an alternative', { anyOf: [{ type: 'object' }, { type: 'array' }] }, { a: 1 }],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: { type: 'object', required: ['a'] } } }, { a: 1 }],
    ['several types', { type: ['object', 'null'] }, { a: 1 }],
    ['several types, and null', { type: ['object', 'null'] }, null],
    ['anything', {}, { a: 1 }],
  ])('agrees with a schema that describes %s, in every revision [checklist 33]', async (_, output, value) => {
    const app = await appWith(value, output);
    for (const version of WITH_STRUCTURE) {
      const client = await clientOf(app, version);
      const schema = (await client.list('tools'))[0]?.['outputSchema'] as Json;
      if (version !== '2026-07-28') expect(schema['type']).toBe('object');
      const validate = new Ajv2020({ strict: false }).compile(schema);
      const { structuredContent } = await client.call('give');
      expect([version, validate(structuredContent), validate.errors]).toEqual([version, true, null]);
    }
  });

  test('is an object in 2025 whatever the handler gives', async () => {
    const app = await appOf({
      definitions: [
        defineTool({ name: 'date', handle: () => new Date(0) }),
        defineTool({ name: 'list', handle: () => [1] }),
        defineTool({ name: 'odd', handle: () => ({ toJSON: () => 'text' }) }),
      ],
    });
    const client = await clientOf(app, '2025-11-25');
    for (const name of ['date', 'list', 'odd']) {
      const { structuredContent } = await client.call(name);
      expect([name, typeof (structuredContent ?? {}), Array.isArray(structuredContent)]).toEqual([
        name,
        'object',
        false,
      ]);
    }
  });
});
