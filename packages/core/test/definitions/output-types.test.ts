import { describe, expect, test } from '@jest/globals';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { IsInt, IsOptional, IsString } from 'class-validator';
import * as v from 'valibot';
import { z } from 'zod';
import type { CallToolResult } from '../../src/protocol.js';
import {
  defineTool,
  type InputRequired,
  PartialType,
  Service,
  Tool,
  type ToolOptions,
} from '../../src/index.js';
import { content, type TextContent } from '../../src/content.js';
import { appOf, openSession } from '../harness.js';

class StockLevel {
  @IsString() sku!: string;
  @IsInt() quantity!: number;
  @IsOptional() @IsString() note?: string;

  isEmpty(): boolean {
    return this.quantity === 0;
  }
}

const level = { sku: 'TEA', quantity: 2 };
const ZOD = z.object({ sku: z.string(), quantity: z.string().transform(Number).pipe(z.number()) });
const ARK = type({ sku: 'string' });
const VALIBOT = toStandardJsonSchema(v.object({ sku: v.string() }));
const BY_HAND = { type: 'object', properties: { sku: { type: 'string' } } };

// tsc checks this file: every "@ts-expect-error" below is a test that the line after it does not compile.
describe('the output of @Tool', () => {
  test('is what methods may return, at once or later, as an instance or a plain object', async () => {
    @Service()
    class Right {
      @Tool({ output: StockLevel }) instance(): StockLevel {
        return Object.assign(new StockLevel(), level);
      }
      @Tool({ output: StockLevel }) plain() {
        return level;
      }
      @Tool({ output: StockLevel }) async later(): Promise<{ sku: string; quantity: number }> {
        return Promise.resolve(level);
      }
      @Tool({ output: StockLevel }) sometimes(): StockLevel | Promise<StockLevel> {
        return this.instance();
      }
      @Tool({ output: [StockLevel] }) list(): readonly StockLevel[] {
        return [this.instance()];
      }
      @Tool({ output: [StockLevel] }) async listLater() {
        return Promise.resolve([level]);
      }
      @Tool({ output: PartialType(StockLevel) }) partial() {
        return { sku: 'TEA' };
      }
      @Tool({ output: ZOD }) zod() {
        return { sku: 'TEA', quantity: '2' };
      }
      @Tool({ output: ARK }) arktype() {
        return { sku: 'TEA' };
      }
      @Tool({ output: VALIBOT }) async valibot() {
        return Promise.resolve({ sku: 'TEA' });
      }
    }
    const app = await appOf({ services: [Right] });
    const client = await openSession(app);
    for (const { name } of await client.list('tools')) {
      const result = await client.call(String(name));
      expect(result).toHaveProperty('structuredContent');
      expect(result['isError']).toBeUndefined();
    }
    await app.close();
  });

  test('leaves whole results, and what a handler still needs, alone', () => {
    class Whole {
      @Tool({ output: StockLevel }) result(): CallToolResult {
        return { content: [content.text('none')], structuredContent: level };
      }
      @Tool({ output: StockLevel }) async asks(): Promise<StockLevel | InputRequired | CallToolResult> {
        return Promise.resolve(new StockLevel());
      }
      @Tool({ output: StockLevel }) never(): never {
        throw new Error('never');
      }
    }
    expect(Whole.name).toBe('Whole');
  });

  test('refuses methods that return something else', () => {
    class Wrong {
      // @ts-expect-error text is no StockLevel
      @Tool({ output: StockLevel }) text(): string {
        return '';
      }
      // @ts-expect-error nor is a promise of text
      @Tool({ output: StockLevel }) async later(): Promise<string> {
        return Promise.resolve('');
      }
      // @ts-expect-error a property is missing
      @Tool({ output: StockLevel }) missing() {
        return { sku: 'TEA' };
      }
      // @ts-expect-error a property has another type
      @Tool({ output: StockLevel }) other(): { sku: string; quantity: string } {
        return { sku: 'TEA', quantity: '2' };
      }
      // @ts-expect-error nothing is no StockLevel
      @Tool({ output: StockLevel }) nothing(): void {
        return undefined;
      }
      // @ts-expect-error one of the results is text
      @Tool({ output: StockLevel }) either(): StockLevel | string {
        return '';
      }
      // @ts-expect-error content alone does not satisfy an output schema
      @Tool({ output: StockLevel }) content(): TextContent {
        return content.text('');
      }
      // @ts-expect-error a list is wanted
      @Tool({ output: [StockLevel] }) one(): StockLevel {
        return new StockLevel();
      }
      // @ts-expect-error a list of them is wanted
      @Tool({ output: [StockLevel] }) texts(): string[] {
        return [];
      }
      // @ts-expect-error one is wanted
      @Tool({ output: StockLevel }) list(): StockLevel[] {
        return [];
      }
      // @ts-expect-error what the schema makes of a result is not what it takes
      @Tool({ output: ZOD }) zod(): z.output<typeof ZOD> {
        return level;
      }
      // @ts-expect-error a property has another type
      @Tool({ output: ARK }) arktype() {
        return { sku: 1 };
      }
      // @ts-expect-error a property is missing
      @Tool({ output: VALIBOT }) async valibot() {
        return Promise.resolve({});
      }
    }
    expect(Wrong.name).toBe('Wrong');
  });

  test('is not read by types when it is JSON Schema, or is not known before the program runs', () => {
    const options: ToolOptions = { output: StockLevel };
    class Unchecked {
      @Tool({ output: BY_HAND }) byHand(): string {
        return '';
      }
      @Tool(options) dynamic(): string {
        return '';
      }
      @Tool() none(): string {
        return '';
      }
    }
    expect(Unchecked.name).toBe('Unchecked');
  });
});

describe('the output of defineTool', () => {
  test('is what its handler may return', () => {
    const name = 'level';
    defineTool({ name, output: StockLevel, handle: () => level });
    defineTool({ name, output: StockLevel, handle: async () => Promise.resolve(level) });
    defineTool({ name, output: [StockLevel], handle: () => [level] });
    defineTool({ name, input: StockLevel, output: ZOD, handle: ({ sku }) => ({ sku, quantity: '1' }) });
    defineTool({ name, output: StockLevel, handle: (): CallToolResult => ({ content: [], isError: true }) });
    defineTool({ name, output: BY_HAND, handle: () => 'anything' });
    defineTool({ name, input: StockLevel, handle: ({ isEmpty }) => isEmpty });
    // @ts-expect-error text is no StockLevel
    defineTool({ name, output: StockLevel, handle: () => '' });
    // @ts-expect-error nor is a promise of text
    defineTool({ name, output: StockLevel, handle: async () => Promise.resolve('') });
    // @ts-expect-error a list is wanted
    defineTool({ name, output: [StockLevel], handle: () => level });
    // @ts-expect-error a property has another type
    defineTool({ name, output: ZOD, handle: () => ({ sku: 'TEA', quantity: 1 }) });
    expect(name).toBe('level');
  });
});
