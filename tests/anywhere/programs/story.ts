import { Arg, createApp, Inject, Param, Prompt, Resource, Service, Tool, ToolContext } from '@sigil/core';
import type { App } from '@sigil/core';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';

class Line {
  @IsString() sku!: string;
  @IsInt() @Min(1) pieces!: number;
}

class Order {
  @IsString() @Transform(({ value }) => String(value).trim()) customer!: string;
  @IsString() @IsOptional() @Expose({ name: 'mail' }) address?: string;
  @IsString() @IsOptional() @Exclude() role: string = 'guest';
  @ValidateNested({ each: true }) @Type(() => Line) lines!: Line[];
}

class Receipt {
  @IsString() customer!: string;
  @IsInt() cents!: number;
  @IsString() @IsOptional() @Exclude() secret?: string;
}

const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

/** A service with everything that a build may take away. */
@Service()
export class Shop {
  constructor(@Inject('cents') private readonly cents: number) {}

  @Tool({ description: 'Order', output: Receipt })
  order(order: Order, ctx: ToolContext): Receipt {
    const pieces = order.lines.reduce((sum, line) => sum + line.pieces, 0);
    ctx.progress(1, 1);
    return Object.assign(new Receipt(), {
      customer: `${order.customer} (${order.role})`,
      cents: pieces * this.cents,
      secret: 'margin',
    });
  }

  @Tool({ description: 'Add two numbers' })
  add(@Arg('a') a: number, @Arg('b', { minimum: 0 }) b: number): number {
    return a + b;
  }

  @Tool({ description: 'Ask for a name' })
  async greet(ctx: ToolContext): Promise<string> {
    const { content } = await ctx.elicit('Your name?', NAME);
    return `Hello, ${String(content?.['name'])}`;
  }

  @Resource('shop://{sku}', { description: 'An article', mimeType: 'application/json' })
  article(@Param('sku') sku: string): object {
    return { sku };
  }

  @Prompt({ description: 'Recommend' })
  recommend(@Arg('taste') taste: string): string {
    return `Recommend something ${taste}`;
  }
}

export function createStory(): Promise<App> {
  return createApp({
    name: 'story',
    version: '1.0.0',
    // A function of Lambda is asked for a second time in another instance, maybe.
    state: { keys: ['not a secret, since it is for tests alone: 0123456789'] },
    services: [Shop],
    providers: [{ provide: 'cents', useValue: 250 }],
  });
}
