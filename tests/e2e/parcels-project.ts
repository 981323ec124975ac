/** The files of a project in which there is most of what `sigil build` has to keep. */
export const PARCELS: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'parcels', type: 'module' }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      types: ['node'],
      strict: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      skipLibCheck: true,
      rootDir: 'src',
      outDir: 'dist',
    },
    include: ['src'],
  }),
  'data/zones.json': JSON.stringify({ home: 399, europe: 899 }),
  'src/main.ts': `import { readFileSync } from 'node:fs';
import { createApp, defineTool, provide } from '@sigil/core';
import { ZONES } from './zones.js';

const zones = JSON.parse(readFileSync(new URL('../data/zones.json', import.meta.url), 'utf8')) as Record<string, number>;
const app = await createApp({
  name: 'parcels',
  version: '1.0.0',
  discover: new URL('./services/*.service.js', import.meta.url),
  providers: [provide(ZONES, zones)],
  definitions: [
    defineTool({
      name: 'learn',
      input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      handle({ name }) {
        const input = { type: 'object', properties: { [String(name)]: { type: 'integer', minimum: 2 } }, required: [String(name)] };
        app.tools.add(defineTool({ name: String(name), input, handle: (args) => JSON.stringify(args) }));
        return 'learnt';
      },
    }),
  ],
});
await app.run();
`,
  'src/worker.ts': `import { createApp, provide } from '@sigil/core';
import { fetchHandler } from '@sigil/http/fetch';
import zones from '../data/zones.json' with { type: 'json' };
import { Parcels } from './services/parcels.service.js';
import { ZONES } from './zones.js';

const app = await createApp({ name: 'parcels', version: '1.0.0', services: [Parcels], providers: [provide(ZONES, zones)] });
export default { fetch: fetchHandler(app) };
`,
  // All that it serves is known when it is built.
  'src/known.ts': `import { Arg, createApp, defineTool, Describe, McpHeader, Param, Prompt, Resource, Service, Tool } from '@sigil/core';
import { fetchHandler } from '@sigil/http/fetch';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsOptional, IsString, Length, Matches, MaxLength, Min, ValidateNested } from 'class-validator';

class Address {
  @Describe('Where it goes') @IsString() @MaxLength(Number(process.env['LONGEST'] ?? 5)) street!: string;
  @IsOptional() @ValidateNested() @Type(() => Address) billing?: Address;
}
class Base {
  @IsInt() @Min(1, { message: ({ value }) => 'not enough: ' + String(value) }) pieces!: number;
}
class Parcel extends Base {
  @Describe('The code', { examples: ['AB-1'] }) @McpHeader('Code') @Matches(/^[A-Z]{2}-\\d$/, { message: '$property is wrong: $value' }) code!: string;
  @ValidateNested() address!: Address;
  @IsArray() @ArrayMaxSize(2) @ValidateNested({ each: true }) @Type(() => Address) others: Address[] = [];
  @IsOptional() @IsString() mail?: string;
  @IsOptional() @Length(2, 4) word?: string;
  @IsIn(['slow', 'fast']) speed: string = 'slow';
}
class Told {
  @IsString() text!: string;
  @IsOptional() @IsInt() count?: number;
}

@Service()
class Parcels {
  @Tool({ description: 'Send', output: Told })
  send(parcel: Parcel): Told {
    const made = [parcel, parcel.address, ...parcel.others].map((one) => one.constructor.name);
    return { text: made.join(' ') + ' ' + parcel.speed, ...(parcel.word && { count: parcel.word as never }) };
  }
  @Tool({ description: 'Other', output: process.env['OTHER'] ? Base : Told })
  other(): Told & Base {
    return { text: 'x', pieces: 1 };
  }
  @Tool({ description: 'List', output: [Told] })
  list(@Arg('count', { default: 2, minimum: Number(process.env['FEWEST'] ?? 0) }) count: number, @Arg('day', { optional: true }) day?: Date): Told[] {
    return Array.from({ length: count }, () => ({ text: day === undefined ? 'none' : day.toISOString() }));
  }
  @Tool({ description: 'Nothing' })
  nothing(): string {
    return 'nothing';
  }
  @Tool({ description: 'Address' })
  house(@Arg('at') at: Address, @Arg('more', { items: () => Address, optional: true }) more?: Address[]): string {
    return [at, ...(more ?? [])].map((one) => one.constructor.name + one.street).join();
  }
  @Resource('known://{id}')
  parcel(@Param('id') id: number): string {
    return 'parcel ' + (id + 1);
  }
  @Prompt({ description: 'Offer' })
  offer(base: Base): string {
    return 'offer ' + base.pieces;
  }
}

const more = process.env['MORE'] === undefined ? [] : [defineTool({ name: 'more', input: Told, handle: () => 'more' })];
const app = await createApp({
  name: 'known',
  version: '1.0.0',
  services: [Parcels],
  definitions: [
    defineTool({
      name: 'raw',
      input: { type: 'object', properties: { a: { type: 'integer', ...(process.env['LEAST'] && { minimum: Number(process.env['LEAST']) }) }, id: { enum: [1, 'x', null] } }, patternProperties: { '^x-': { type: 'string' } } },
      handle: (args) => JSON.stringify(args),
    }),
    ...more,
  ],
});
export default { fetch: fetchHandler(app) };
`,
  // It makes a tool of a class while it is up.
  'src/growing.ts': `import { createApp, defineTool } from '@sigil/core';
import { fetchHandler } from '@sigil/http/fetch';
import { IsInt, Min } from 'class-validator';

class Count {
  @IsInt() @Min(2) count!: number;
}
const app = await createApp({
  name: 'growing',
  version: '1.0.0',
  definitions: [
    defineTool({
      name: 'learn',
      handle() {
        app.tools.add(defineTool({ name: 'count', input: Count, handle: (args) => args.constructor.name }));
        return 'learnt';
      },
    }),
    defineTool({
      name: 'try',
      input: { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] },
      handle({ pattern }) {
        const input = { type: 'object', properties: { code: { type: 'string', pattern } } } as const;
        try {
          app.tools.add(defineTool({ name: 'coded', input, handle: () => 'coded' }));
          return 'learnt';
        } catch (error) {
          return String(error);
        }
      },
    }),
  ],
});
export default { fetch: fetchHandler(app) };
`,
  'src/questions.ts': `import { ask, createApp, defineTool } from '@sigil/core';
import { fetchHandler } from '@sigil/http/fetch';
import { IsInt, Min } from 'class-validator';

class Count {
  @IsInt() @Min(2) count!: number;
}
const app = await createApp({
  name: 'questions',
  version: '1.0.0',
  state: { keys: ['0123456789'.repeat(4)] },
  definitions: [
    defineTool({
      name: 'count',
      handle: async (_, ctx) => JSON.stringify(await ctx.ask({ count: ask.form('How many?', Count) })),
    }),
  ],
});
export default { fetch: fetchHandler(app) };
`,
  // Asks a worker, or what it was built from, and writes what it answers.
  'src/asking.ts': `import { pathToFileURL } from 'node:url';

const [, , file = '', requests = ''] = process.argv;
const worker = (await import(pathToFileURL(file).href)).default as { fetch(request: Request): Promise<Response> };
const answers: unknown[] = [];
for (const [id, { method, params, headers }] of JSON.parse(requests).entries()) {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  const response = await worker.fetch(new Request('http://localhost/mcp', { method: 'POST', headers: all, body }));
  answers.push(await response.text());
}
console.log(JSON.stringify(answers));
process.exit(0);
`,
  'src/wrong.ts': `import { createApp, Service, Tool } from '@sigil/core';

@Service()
class Wrong {
  @Tool({ name: 'not a name' })
  broken(): string {
    return '';
  }
}
const app = await createApp({ name: 'wrong', version: '1.0.0', services: [Wrong] });
await app.run();
`,
  'src/zones.ts': `import { InjectionToken } from '@sigil/core';
export const ZONES = new InjectionToken<Record<string, number>>('zones');
`,
  'src/services/parcels.service.ts': `import { Arg, inject, Prompt, Resource, Param, Service, Tool } from '@sigil/core';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import {
  ArrayMinSize, IsEmail, IsIn, IsInt, IsOptional, IsString, Length, Matches, Min, registerDecorator, ValidateNested,
} from 'class-validator';
import { ZONES } from '../zones.js';

const IsEven = (): PropertyDecorator => (target, propertyName) =>
  registerDecorator({
    name: 'isEven',
    target: target.constructor,
    propertyName: String(propertyName),
    validator: {
      validate: (value: unknown) => typeof value === 'number' && value % 2 === 0,
      defaultMessage: () => 'must be even',
    },
  });

class Line {
  @Matches(/^[A-Z]{3}-\\d{4}$/) sku!: string;
  @IsInt() @Min(1) @IsEven() pieces!: number;
}

class Mark {
  @IsString() kind!: string;
}
class Stamp extends Mark {
  @IsInt() value!: number;
}
class Note extends Mark {
  @Length(2, 5) text!: string;
}

class Order {
  @ValidateNested({ each: true }) @Type(() => Line) @ArrayMinSize(1) lines!: Line[];
  @IsIn(['home', 'europe']) zone!: string;
  @IsOptional() @IsEmail() mail?: string;
  @IsOptional() @Matches(/^(?:[a-z]+ )*[a-z]+$/, { message: 'lower case words please' }) words?: string;
  @IsOptional() @Transform(({ value }) => String(value).toUpperCase()) @IsString() code?: string;
  @IsOptional()
  @ValidateNested()
  @Type(() => Mark, { discriminator: { property: 'kind', subTypes: [{ name: 'stamp', value: Stamp }, { name: 'note', value: Note }] }, keepDiscriminatorProperty: true })
  mark?: Stamp | Note;
  @Exclude() @IsOptional() @IsString() secret?: string;
}

class Receipt {
  @IsInt() cents!: number;
  @Expose({ name: 'sent_to' }) @IsString() zone!: string;
  @IsString({ groups: ['clerk'] }) @IsOptional() by?: string;
}

@Service()
export class Parcels {
  readonly #zones = inject(ZONES);

  @Tool({ description: 'Order parcels', output: Receipt })
  order(order: Order): Receipt {
    const pieces = order.lines.reduce((sum, line) => sum + line.pieces, 0);
    if (!(order.lines[0] instanceof Line)) throw new Error('no instance');
    return Object.assign(new Receipt(), { cents: pieces * (this.#zones[order.zone] ?? 0), zone: order.code ?? order.zone });
  }

  @Tool({ description: 'Add' })
  add(@Arg('a', { minimum: 0 }) a: number, @Arg('b', { description: 'more' }) b?: number): number {
    return a + (b ?? 0);
  }

  @Resource('parcels://{id}')
  parcel(@Param('id') id: number): string {
    return 'parcel ' + (id + 1);
  }

  @Prompt({ description: 'Offer' })
  offer(line: Line) {
    return line.sku + ' ' + line.pieces;
  }
}
`,
};
