import { describe, expect, test } from '@jest/globals';
import { Arg, Complete, defineTool, Param, Prompt, Resource, Tool } from '../../src/index.js';
import { problemsOf } from '../harness.js';

describe('SIGIL_DUPLICATE_NAME', () => {
  test('names both places of a tool defined twice', async () => {
    class First {
      @Tool()
      add() {
        return 1;
      }
    }
    class Second {
      @Tool({ name: 'add' })
      plus() {
        return 2;
      }
    }
    expect(await problemsOf({ services: [First, Second] })).toEqual([
      {
        code: 'SIGIL_DUPLICATE_NAME',
        where: 'Second.plus',
        what: "the tool 'add' is already defined by First.add",
        fix: 'rename one of them with { name }',
      },
    ]);
  });

  test('arises between a decorated method and a function', async () => {
    class Adder {
      @Tool()
      add() {
        return 1;
      }
    }
    const definitions = [defineTool({ name: 'add', handle: () => 2 })];
    expect(await problemsOf({ services: [Adder], definitions })).toEqual([
      expect.objectContaining({ code: 'SIGIL_DUPLICATE_NAME', where: "defineTool('add')" }),
    ]);
  });

  test('arises for prompts, resources and templates', async () => {
    class Twice {
      @Prompt({ name: 'greet' })
      greet() {
        return 'hello';
      }
      @Prompt({ name: 'greet' })
      welcome() {
        return 'welcome';
      }
      @Resource('config://app')
      one() {
        return '1';
      }
      @Resource('config://app')
      two() {
        return '2';
      }
      @Resource('users://{id}')
      three(@Param('id') id: string) {
        return id;
      }
      @Resource('users://{id}')
      four(@Param('id') id: string) {
        return id;
      }
    }
    const problems = await problemsOf({ services: [Twice] });
    expect(problems.map(({ code, where, fix }) => [code, where, fix])).toEqual([
      ['SIGIL_DUPLICATE_NAME', 'Twice.welcome', 'rename one of them with { name }'],
      ['SIGIL_DUPLICATE_NAME', 'Twice.two', 'change one of the URIs'],
      ['SIGIL_DUPLICATE_NAME', 'Twice.four', 'change one of the URIs'],
    ]);
  });

  test('does not arise between a tool and a prompt of one name', async () => {
    class Both {
      @Tool({ name: 'greet' })
      tool() {
        return 1;
      }
      @Prompt({ name: 'greet' })
      prompt() {
        return 'hello';
      }
    }
    await expect(problemsOf({ services: [Both] })).rejects.toThrow('the app started');
  });
});

describe('SIGIL_INVALID_NAME', () => {
  test.each([
    ['with a space', 'add numbers'],
    ['with a slash', 'add/numbers'],
    ['that is empty', ''],
    ['longer than 128 characters', 'x'.repeat(129)],
    ['that is not ASCII', 'añadir'],
  ])('refuses a tool name %s [checklist 35]', async (_, name) => {
    class Adder {
      @Tool({ name })
      add() {
        return 1;
      }
    }
    expect(await problemsOf({ services: [Adder] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_INVALID_NAME',
        where: 'Adder.add',
        what: expect.stringContaining(`'${name}'`),
        fix: expect.stringContaining('1 to 128 letters'),
      }),
    ]);
  });

  test.each(['a', 'x'.repeat(128), 'Add.numbers-2_x'])('accepts %s [checklist 35]', async (name) => {
    const definitions = [defineTool({ name, handle: () => 1 })];
    await expect(problemsOf({ definitions })).rejects.toThrow('the app started');
  });

  test('refuses the name of a method that has a sign in it', async () => {
    class Adder {
      @Prompt()
      $add() {
        return 'x';
      }
    }
    expect(await problemsOf({ services: [Adder] })).toEqual([
      expect.objectContaining({ code: 'SIGIL_INVALID_NAME', where: 'Adder.$add' }),
    ]);
  });
});

describe('SIGIL_INVALID_URI', () => {
  test.each([
    ['has no scheme', 'config/app'],
    ['has an open brace', 'users://{id'],
    ['has an unknown operator', 'users://{=id}'],
  ])('refuses a URI that %s', async (_, uri) => {
    class Config {
      @Resource(uri)
      read() {
        return 'x';
      }
    }
    const problems = await problemsOf({ services: [Config] });
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'SIGIL_INVALID_URI',
        where: 'Config.read',
        what: expect.stringContaining(`'${uri}'`),
        fix: expect.stringContaining('RFC 6570'),
      }),
    ]);
  });
});

describe('SIGIL_UNKNOWN_VARIABLE', () => {
  test('names the variable, the template, and the variables there are', async () => {
    class Products {
      @Resource('products://{sku}')
      read(@Param('sku') sku: string, @Param('size') size: string) {
        return sku + size;
      }
    }
    expect(await problemsOf({ services: [Products] })).toEqual([
      {
        code: 'SIGIL_UNKNOWN_VARIABLE',
        where: 'Products.read',
        what: "a parameter needs the variable 'size', which 'products://{sku}' does not have",
        fix: 'use a variable of the template (sku), or add {size} to it',
      },
    ]);
  });

  test('arises for a parameter of a resource with a fixed URI', async () => {
    class Config {
      @Resource('config://app')
      read(@Param('key') key: string) {
        return key;
      }
    }
    expect(await problemsOf({ services: [Config] })).toEqual([
      expect.objectContaining({ code: 'SIGIL_UNKNOWN_VARIABLE', where: 'Config.read' }),
    ]);
  });
});

describe('SIGIL_UNBOUND_VARIABLE', () => {
  test('names the variable that nothing receives', async () => {
    class Products {
      @Resource('products://{sku}/{size}')
      read(@Param('sku') sku: string) {
        return sku;
      }
    }
    expect(await problemsOf({ services: [Products] })).toEqual([
      {
        code: 'SIGIL_UNBOUND_VARIABLE',
        where: 'Products.read',
        what: "no parameter receives the variable 'size' of 'products://{sku}/{size}'",
        fix: expect.stringContaining("@Param('size') size: string"),
      },
    ]);
  });
});

describe('SIGIL_UNKNOWN_COMPLETION', () => {
  test('says that there is no such prompt or template', async () => {
    class Completions {
      @Complete('greet', 'name')
      names() {
        return ['Ada'];
      }
    }
    expect(await problemsOf({ services: [Completions] })).toEqual([
      {
        code: 'SIGIL_UNKNOWN_COMPLETION',
        where: 'Completions.names',
        what: "there is no prompt or resource template 'greet'",
        fix: expect.stringContaining('exactly as in @Resource'),
      },
    ]);
  });

  test('lists the arguments there are', async () => {
    class Greetings {
      @Prompt()
      greet(@Arg('name') name: string, @Arg('style') style: string) {
        return name + style;
      }
      @Complete('greet', 'nmae')
      names() {
        return ['Ada'];
      }
    }
    expect(await problemsOf({ services: [Greetings] })).toEqual([
      expect.objectContaining({
        code: 'SIGIL_UNKNOWN_COMPLETION',
        where: 'Greetings.names',
        what: "'greet' has no argument 'nmae'",
        fix: 'complete one of its arguments: name, style',
      }),
    ]);
  });
});
