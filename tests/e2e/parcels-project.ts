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
  'src/hidden.ts': `import { createApp } from '@sigil/core';

const options = JSON.parse('{"' + ['ta', 'sks'].join('') + '":{"ttlMs":5000}}') as object;
const app = await createApp({ name: 'hidden', version: '1.0.0', services: [], ...options });
await app.run();
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
