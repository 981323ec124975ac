import { Arg, createApp, defineTool, Service, Tool } from '@sigil/core';
import { http } from '@sigil/http';
import { Allow, ArrayUnique, IsArray, IsInt, IsObject, Matches } from 'class-validator';
import { readServerOptions } from './options.js';

/** What hostile clients send is meant for these: patterns that backtrack elsewhere, lists without a bound, free objects. */
class Texts {
  @Matches(/^(\w+\s?)*$/)
  words!: string;

  @Matches(/^[^@\s]+@[^@\s]+\.[^@\s]+$/)
  mail!: string;
}

class Numbers {
  @IsArray()
  @IsInt({ each: true })
  list!: number[];
}

class Distinct {
  @ArrayUnique()
  @Allow({ each: true })
  list!: unknown[];
}

class Free {
  @IsObject()
  settings!: Record<string, unknown>;
}

@Service()
class Targets {
  @Tool({ name: 'matches' })
  matches(texts: Texts): string {
    return texts.words;
  }

  @Tool({ name: 'arguments' })
  byArguments(
    @Arg('exponential', { pattern: '^(a+)+$' }) exponential: string,
    @Arg('polynomial', { pattern: '^(?!b)a*a*a*$' }) polynomial: string,
  ): string {
    return exponential + polynomial;
  }

  @Tool({ name: 'numbers' })
  numbers({ list }: Numbers): number {
    return list.length;
  }

  @Tool({ name: 'distinct' })
  distinct({ list }: Distinct): number {
    return list.length;
  }

  @Tool({ name: 'free' })
  free({ settings }: Free): number {
    return Object.keys(settings).length;
  }

  @Tool({ name: 'short' })
  short(@Arg('text', { maxLength: 10 }) text: string): string {
    return text;
  }

  @Tool({ name: 'polluted' })
  polluted(): boolean {
    return 'polluted' in {};
  }
}

const written = defineTool({
  name: 'written',
  input: {
    type: 'object',
    properties: {
      exponential: { type: 'string', pattern: '^(a|aa)+$' },
      polynomial: { type: 'string', pattern: 'a+b$' },
      any: {},
      distinct: { type: 'array', uniqueItems: true },
    },
    patternProperties: { '^(x+x+)+y$': { type: 'string' } },
    additionalProperties: false,
  },
  handle: () => 'nothing was wrong',
});

const { port, maxBodyBytes } = readServerOptions();
const app = await createApp({
  name: 'bench',
  version: '1.0.0',
  services: [Targets],
  definitions: [written],
  warm: true,
});
await app.run(http({ port, ...(maxBodyBytes === undefined ? {} : { limits: { maxBodyBytes } }) }));
