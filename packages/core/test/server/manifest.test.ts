import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { IsInt, IsOptional, IsString, Min } from 'class-validator';
import {
  Arg,
  Complete,
  definePrompt,
  defineResource,
  defineTool,
  Param,
  Prompt,
  RequireScopes,
  Resource,
  TaskSupport,
  Tool,
  UseGuards,
} from '../../src/index.js';
import { arrangeManifest, manifestOf } from '../../src/manifest.js';
import { appOf } from '../harness.js';

const nobody = () => false;

class Query {
  @IsString()
  sku!: string;
  @IsOptional()
  @IsInt()
  @Min(1)
  limit?: number;
}

class Stock {
  @Tool({ description: 'Stock of a product', readOnly: true })
  stock(query: Query) {
    return query.sku;
  }
  @Tool()
  @TaskSupport('required')
  count() {
    return 1;
  }
  @Tool()
  @TaskSupport({ support: 'optional', start: 'handler' })
  @UseGuards(nobody)
  @RequireScopes('stock:write', 'audit', () => ['of:arguments'])
  audit() {
    return 1;
  }
  @Resource('stock://items/{sku}')
  item(@Param('sku') sku: string) {
    return sku;
  }
  @Complete('stock://items/{sku}', 'sku')
  skus() {
    return [];
  }
  @Resource('stock://all', { mimeType: 'text/plain' })
  all() {
    return '';
  }
  @Prompt()
  advise(@Arg('topic') topic: string, @Arg('about') about: string) {
    return topic + about;
  }
}

const definitions = [
  defineTool({ name: 'b', description: 'B', output: { type: 'string' }, handle: () => 'b' }),
  defineTool({ name: 'a', description: 'A', guards: [nobody], handle: () => 'a' }),
  defineResource({ uri: 'x://b', name: 'b', handle: () => 'b' }),
  defineResource({ uri: 'x://a', name: 'a', handle: () => 'a' }),
  definePrompt({ name: 'q', handle: () => 'q' }),
  definePrompt({ name: 'p', handle: () => 'p' }),
];

describe('the manifest of an app', () => {
  test('has everything that is registered, with what guards hide, by name', async () => {
    const manifest = manifestOf(await appOf({ services: [Stock], instructions: 'Ask for stock' }));
    expect(manifest).toMatchObject({
      format: 'sigil-manifest/1',
      server: { name: 'test' },
      instructions: 'Ask for stock',
      capabilities: { completions: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
    });
    expect(
      manifest.tools.map(({ name, guarded, task, hiddenFromSessions }) => ({
        name,
        guarded,
        task,
        hiddenFromSessions,
      })),
    ).toEqual([
      { name: 'audit', guarded: true, task: 'optional' },
      { name: 'count', guarded: false, task: 'required', hiddenFromSessions: true },
      { name: 'stock', guarded: false },
    ]);
    expect(manifest.tools.map(({ scopes }) => scopes)).toEqual([
      ['audit', 'stock:write'],
      undefined,
      undefined,
    ]);
    expect(manifest.tools[2]).toMatchObject({
      annotations: { readOnlyHint: true },
      inputSchema: { properties: { limit: { minimum: 1 } }, required: ['sku'] },
    });
    expect(manifest.resources).toMatchObject([
      { uri: 'stock://all', mimeType: 'text/plain', guarded: false },
    ]);
    expect(manifest.resourceTemplates).toMatchObject([
      { uriTemplate: 'stock://items/{sku}', completes: ['sku'] },
    ]);
    const [prompt] = manifest.prompts;
    expect(prompt?.arguments?.map(({ name }) => name)).toEqual(['about', 'topic']);
    expect(prompt?.inputSchema).toMatchObject({ properties: { topic: { type: 'string' } } });
  });

  test('is the same to the letter, whatever the order of the definitions', async () => {
    const expected = JSON.stringify(manifestOf(await appOf({ definitions })));
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(definitions, { minLength: definitions.length }),
        async (shuffled) => {
          expect(JSON.stringify(manifestOf(await appOf({ definitions: shuffled })))).toBe(expected);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('is the same to the letter, whatever the order of keywords and names in schemas', () => {
    const manifestWith = (inputSchema: object) =>
      JSON.stringify(
        arrangeManifest({
          server: { name: 'x', version: '1' },
          capabilities: {},
          tools: [{ name: 't', inputSchema: inputSchema as never }],
          resources: [],
          resourceTemplates: [],
          prompts: [],
        }),
      );
    const one = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: ['null', 'string'] }, b: {} },
    };
    const other = {
      properties: { b: {}, a: { type: ['string', 'null'] } },
      required: ['b', 'a'],
      type: 'object',
    };
    expect(manifestWith(one)).toBe(manifestWith(other));
  });

  test('keeps the order of data, and a property that is called like a keyword', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        required: { type: 'string' },
        x: { default: { required: ['b', 'a'] }, enum: ['b', 'a'] },
      },
    };
    const { tools } = arrangeManifest({
      server: { name: 'x', version: '1' },
      capabilities: {},
      tools: [{ name: 't', inputSchema }],
      resources: [],
      resourceTemplates: [],
      prompts: [],
    });
    expect(tools[0]?.inputSchema).toEqual(inputSchema);
  });

  test('follows what is added and removed', async () => {
    const app = await appOf({ definitions });
    app.tools.remove('a');
    app.tools.add(defineTool({ name: 'c', handle: () => 'c' }));
    expect(manifestOf(app).tools.map(({ name }) => name)).toEqual(['b', 'c']);
  });

  test('can be changed without changing the app', async () => {
    const app = await appOf({ definitions });
    (manifestOf(app).tools[0]?.inputSchema as Record<string, unknown>)['type'] = 'string';
    expect(manifestOf(app).tools[0]?.inputSchema).toMatchObject({ type: 'object' });
  });
});
