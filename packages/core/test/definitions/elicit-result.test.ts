import { IsOptional, IsString } from 'class-validator';
import type { ElicitResult } from '../../src/protocol.js';
import { Service, Tool, ToolContext } from '../../src/index.js';
import { appOf, type Json, openSession, textOf } from '../harness.js';

class Day {
  @IsString()
  day!: string;
}

class Note {
  @IsOptional()
  @IsString()
  note?: string;
}

@Service()
class Booking {
  @Tool()
  async book(ctx: ToolContext): Promise<string> {
    const answer = await ctx.elicit('Which day?', Day);
    if (answer.action !== 'accept') return `no day: ${answer.action}`;
    // No `?.` is needed here: accepted content has the type of the form.
    return answer.content.day.toUpperCase();
  }

  @Tool()
  async comment(ctx: ToolContext): Promise<string> {
    const { action, content } = await ctx.elicit('Anything to add?', Note);
    return action === 'accept' ? `${content.constructor.name}: ${content.note ?? 'nothing'}` : action;
  }
}

async function answered(tool: string, answer: Json): Promise<Json> {
  const app = await appOf({ services: [Booking] });
  const client = await openSession(app, '2025-11-25', { elicitation: {} }, { answer: () => answer });
  const { result, error } = await client.request('tools/call', { name: tool, arguments: {} });
  await app.close();
  return result ?? { error };
}

test('an accepted form has content of the type of the form', async () => {
  expect(textOf(await answered('book', { action: 'accept', content: { day: 'friday' } }))).toBe('FRIDAY');
});

test.each(['decline', 'cancel'])('%s has no content', async (action) => {
  expect(textOf(await answered('book', { action, content: { day: 'friday' } }))).toBe(`no day: ${action}`);
});

test('an accept without content is checked against the form as an empty answer', async () => {
  expect(textOf(await answered('comment', { action: 'accept' }))).toBe('Note: nothing');
  const refused = JSON.stringify(await answered('book', { action: 'accept' }));
  expect(refused).toContain('day: required, expected a string; received nothing');
});

test('the action decides in types whether there is content', () => {
  const read = (answer: ElicitResult<Day>): string => {
    // @ts-expect-error the content of an answer that may be declined is possibly undefined
    const early: string = answer.content.day;
    return answer.action === 'accept' ? answer.content.day : String(early);
  };
  // @ts-expect-error an accepted form without content is no answer to a form
  const incomplete: ElicitResult<Day> = { action: 'accept' };
  expect([typeof read, incomplete.action]).toEqual(['function', 'accept']);
});
