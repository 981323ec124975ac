import { describe, expect, test } from '@jest/globals';
import { IsInt } from 'class-validator';
import { Service, Tool } from '../../src/index.js';
import { describesItself } from '../../src/schema/index.js';
import { appOf, openSession, recordingLogger } from '../harness.js';

class StockLevel {
  @IsInt() quantity = 1;
}
class Special extends StockLevel {}
class Undecorated {}

test.each<[unknown, string | undefined]>([
  [new StockLevel(), 'StockLevel'],
  [new Special(), 'Special'],
  [[new StockLevel()], '[StockLevel]'],
  [{ quantity: 1 }, undefined],
  [new Undecorated(), undefined],
  [Object.create(null), undefined],
  [[[new StockLevel()]], undefined],
  [[], undefined],
  ['text', undefined],
  [null, undefined],
])('the output that describes %j is %j', (value, output) => {
  expect(describesItself(value)).toBe(output);
});

describe('a tool without output schema', () => {
  @Service()
  class Stock {
    @Tool()
    async level(): Promise<StockLevel> {
      return Promise.resolve(new StockLevel());
    }

    @Tool()
    async levels(): Promise<StockLevel[]> {
      return Promise.resolve([new StockLevel()]);
    }

    @Tool({ output: StockLevel })
    async described(): Promise<StockLevel> {
      return Promise.resolve(new StockLevel());
    }

    @Tool()
    inferred(): StockLevel {
      return new StockLevel();
    }

    @Tool()
    async plain(): Promise<object> {
      return Promise.resolve({ quantity: 1 });
    }

    @Tool()
    async words(): Promise<string> {
      return Promise.resolve('one');
    }
  }

  test('that returns an instance of a DTO class is named once in the log, with the fix', async () => {
    const logger = recordingLogger();
    const app = await appOf({ services: [Stock], logger });
    const client = await openSession(app);
    for (const name of ['level', 'level', 'levels', 'described', 'inferred', 'plain', 'words'])
      expect((await client.call(name))['isError']).toBeUndefined();
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        details: { where: 'Stock.level', output: 'StockLevel' },
        message:
          'Stock.level returns StockLevel, but has no output schema: add "output: StockLevel" to @Tool()',
      },
      {
        level: 'warn',
        details: { where: 'Stock.levels', output: '[StockLevel]' },
        message:
          'Stock.levels returns [StockLevel], but has no output schema: add "output: [StockLevel]" to @Tool()',
      },
    ]);
    await app.close();
  });
});
