import { describe, expect, test } from '@jest/globals';
import { IsBoolean, IsString } from 'class-validator';
import {
  type AppOptions,
  Arg,
  Complete,
  CompletionContext,
  createApp,
  ask,
  inputRequired,
  InputRequired,
  Param,
  Prompt,
  PromptContext,
  RequestContext,
  Resource,
  ResourceContext,
  Tool,
  ToolContext,
} from '../../src/index.js';
import { ERAS, partnerOf } from '../conversation.js';
import { type Answerer, appOf, type Json, recordingLogger } from '../harness.js';

class Consent {
  @IsBoolean() ok!: boolean;
}
class NameForm {
  @IsString() name!: string;
}
const CONSENT = ask.form('Sure?', Consent);
const NAME = ask.form('Your name?', NameForm);
const MODEL = { role: 'assistant', content: { type: 'text', text: 'Hm' }, model: 'm' };

const answers: Answerer = ({ method, params }) => {
  if (method === 'roots/list') return { roots: [] };
  if (method === 'sampling/createMessage') return MODEL;
  if (params?.['mode'] === 'url') return { action: 'accept' };
  const content = params?.['message'] === 'Sure?' ? { ok: true } : { name: 'Ada' };
  return { action: 'accept', content };
};

/** Tools that end a run with what they need. */
class Desk {
  runs = 0;
  charges = 0;

  @Tool()
  async remove(context: ToolContext, @Arg('what') what: string) {
    const consent = await context.inputResponse('confirm', CONSENT);
    if (!consent) return inputRequired({ confirm: CONSENT });
    const ok: boolean | undefined = consent.content?.ok;
    return `${what}: ${consent.action} ${ok} ${consent.content instanceof Consent}`;
  }

  @Tool()
  counted(context: ToolContext) {
    const count = Number(context.requestState ?? 0);
    return count === 3 ? `counted to ${count}` : inputRequired({}, String(count + 1));
  }

  @Tool()
  raw(context: ToolContext) {
    const { inputResponses } = context;
    if (Object.keys(inputResponses).length === 0) {
      return inputRequired({
        who: NAME,
        where: ask.roots(),
        plan: ask.sample({ messages: [], maxTokens: 1 }),
      });
    }
    return `${Object.isFrozen(inputResponses)} ${JSON.stringify(inputResponses)}`;
  }

  @Tool()
  async steps(context: ToolContext) {
    const name = await context.inputResponse('name', NAME);
    if (!name) return inputRequired({ name: NAME }, 'one');
    const consent = await context.inputResponse('consent', CONSENT);
    if (!consent) return inputRequired({ consent: CONSENT }, `${context.requestState}, two`);
    const latest = Object.keys(context.inputResponses).join();
    return `${name.content?.name} ${consent.content?.ok} (${context.requestState}) ${latest}`;
  }

  @Tool()
  async mixed(context: ToolContext) {
    const receipt = await context.once('charge', () => ++this.charges);
    const first = await context.elicit('First?', NameForm);
    const consent = await context.inputResponse('consent', CONSENT);
    if (!consent) return inputRequired({ consent: CONSENT }, 'kept');
    const { last } = await context.ask({ last: ask.form('Last?', NameForm) });
    const state = context.requestState;
    const latest = Object.keys(context.inputResponses).join();
    return [receipt, first.content?.name, consent.content?.ok, last.content?.name, state, latest].join(' ');
  }

  @Tool()
  async clashing(context: ToolContext) {
    await context.elicit('First?', NameForm, { key: 'name' });
    return inputRequired({ name: NAME });
  }

  @Tool()
  async clashingLater(context: ToolContext) {
    if (!(await context.inputResponse('name', NAME))) return inputRequired({ name: NAME });
    return context.elicit('Later?', NameForm, { key: 'name' });
  }

  @Tool()
  async fickle(context: ToolContext) {
    this.runs++;
    const question = ask.form(this.runs === 1 ? 'Delete 3 files?' : 'Delete 4 files?', NameForm);
    const consent = await context.inputResponse('consent', question);
    return consent ? `run ${this.runs}` : inputRequired({ consent: question });
  }

  @Tool()
  async page(context: ToolContext) {
    const question = ask.url('Sign in', 'https://example.org');
    const answer = await context.inputResponse('page', question);
    return answer ? JSON.stringify(answer) : inputRequired({ page: question });
  }

  @Tool({ output: Consent })
  async checked(context: ToolContext): Promise<Consent | InputRequired> {
    const consent = await context.inputResponse('confirm', CONSENT);
    return consent?.content ?? inputRequired({ confirm: CONSENT });
  }

  @Tool()
  async mistaken(context: ToolContext) {
    return context.inputResponse('name', NameForm as never);
  }

  @Tool()
  foreign(context: ToolContext) {
    if (context.requestState !== undefined) return context.requestState;
    // As another copy of the package makes it.
    const brand = { [Symbol.for('sigil:input-required')]: true };
    return Object.assign(Object.create(brand) as object, { questions: {}, requestState: 'from afar' });
  }
}

const desk = (options: Partial<AppOptions> = {}) => appOf({ services: [Desk], ...options });

describe('inputRequired()', () => {
  test('needs a question or a state', () => {
    expect(() => inputRequired({})).toThrow(TypeError);
    expect(inputRequired({}, '')).toBeInstanceOf(InputRequired);
  });

  test.each<[string, () => unknown, RegExp]>([
    [
      'a question that is none',
      () => inputRequired({ who: {} as never }),
      /"who", which is not a question: create it with/,
    ],
    ['a state that is no string', () => inputRequired({}, 7 as never), /must be a string/],
  ])('refuses %s', (_what, make, message) => {
    expect(make).toThrow(message);
  });
});

describe.each(ERAS)('a handler that ends its run with what it needs, in %s', (version) => {
  const partner = async (
    answer: Answerer = answers,
    options: Partial<AppOptions> = {},
    capabilities?: Json,
  ) => partnerOf(await desk(options), version, answer, capabilities);

  test('is run again with the checked answer [checklist 44]', async () => {
    const { text, asked } = await partner();
    expect(await text('remove', { what: 'a file' })).toBe('a file: accept true true');
    expect(asked).toHaveLength(1);
  });

  test('sees answers as they came, in a frozen record', async () => {
    const { text, asked } = await partner();
    const raw = {
      who: { action: 'accept', content: { name: 'Ada' } },
      where: { roots: [] },
      plan: MODEL,
    };
    expect(await text('raw')).toBe(`true ${JSON.stringify(raw)}`);
    expect(asked.map(({ method }) => method)).toEqual([
      'elicitation/create',
      'roots/list',
      'sampling/createMessage',
    ]);
  });

  test('may take several rounds, and knows the answers of all and the state of the latest', async () => {
    const { text } = await partner();
    expect(await text('steps')).toBe('Ada true (one, two) consent');
  });

  test('may need nothing but to be run again', async () => {
    const { text, asked } = await partner();
    expect(await text('counted')).toBe('counted to 3');
    expect(asked).toEqual([]);
  });

  test('keeps its side effects and what it waited for', async () => {
    const { text, asked } = await partner();
    expect(await text('mixed')).toBe('1 Ada true Ada kept consent');
    expect(asked.map(({ params }) => params?.['message'])).toEqual(['First?', 'Sure?', 'Last?']);
  });

  test.each(['clashing', 'clashing_later'])('cannot use one key for both ways to ask: %s', async (name) => {
    const { text } = await partner();
    await expect(text(name)).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('the key "name"'),
    });
  });

  test('gets no answer that was given to another question', async () => {
    const { text, asked } = await partner();
    expect(await text('fickle')).toBe('run 3');
    expect(asked.map(({ params }) => params?.['message'])).toEqual(['Delete 3 files?', 'Delete 4 files?']);
  });

  test('is told when the client cannot be asked [checklist 42]', async () => {
    const { text, asked } = await partner(answers, {}, {});
    await expect(text('remove', { what: 'x' })).rejects.toMatchObject(
      version === '2026-07-28'
        ? { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } }
        : { code: -32600 },
    );
    expect(asked).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['does not satisfy the form', { action: 'accept', content: { ok: 'perhaps' } }],
    ['is no answer to a form', { roots: [] }],
  ])('fails when an answer %s', async (_how, answer) => {
    const { request } = await partner(() => answer);
    const { result } = await request('tools/call', { name: 'remove', arguments: { what: 'x' } });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^The client('s answer does not satisfy| sent a malformed)/) }],
    });
  });

  test('learns the answer of a question alone', async () => {
    const logger = recordingLogger();
    const { text } = await partner(answers, { logger });
    expect(await text('mistaken')).toBe('Internal error');
    expect(logger.lines).toMatchObject([
      {
        details: {
          err: {
            message: expect.stringMatching(/^ctx.inputResponse\(\) .* "name", which is not a question/),
          },
        },
      },
    ]);
  });

  test('hears of a refusal of the user', async () => {
    const { text } = await partner(() => ({ action: 'decline', content: { ok: true } }));
    expect(await text('remove', { what: 'x' })).toBe('x: decline undefined false');
  });

  test('is not held to its output schema until it has a result', async () => {
    const { request } = await partner();
    const { result } = await request('tools/call', { name: 'checked', arguments: {} });
    expect(result?.['structuredContent']).toEqual({ ok: true });
  });

  test('may be of another copy of the package', async () => {
    const { text } = await partner();
    expect(await text('foreign')).toBe('from afar');
  });

  test('passes through middleware and guards in every run', async () => {
    const seen: string[] = [];
    const { text } = await partner(answers, {
      middleware: [
        async (_context, next) => {
          const value = await next();
          seen.push(value instanceof InputRequired ? 'required' : 'result');
          return value;
        },
      ],
      guards: [() => seen.push('guard') > 0],
    });
    await text('remove', { what: 'x' });
    expect(seen).toEqual(['guard', 'required', 'guard', 'result']);
  });

  test('may be answered by middleware, which may also require input itself', async () => {
    const ask = async (context: RequestContext, next: () => Promise<unknown>) => {
      const name = await context.inputResponse('asked-by-middleware', NAME);
      if (!name) return inputRequired({ 'asked-by-middleware': NAME });
      const value = await next();
      return value instanceof InputRequired ? `${name.content?.name} may not be asked` : value;
    };
    const { text } = await partner(answers, { middleware: [ask] });
    expect(await text('remove', { what: 'x' })).toBe('Ada may not be asked');
  });

  test('may be a prompt or a resource', async () => {
    class Others {
      @Prompt()
      async greet(context: PromptContext) {
        const name = await context.inputResponse('name', NAME);
        return name ? `Hi ${name.content?.name}` : inputRequired({ name: NAME });
      }
      @Resource('text://name')
      async name(context: ResourceContext) {
        const name = await context.inputResponse('name', NAME);
        return name ? name.content?.name : inputRequired({ name: NAME });
      }
      @Resource('text://names/{id}')
      async named(context: ResourceContext, @Param('id') id: string) {
        return context.requestState ?? inputRequired({}, `state of ${id}`);
      }
    }
    const { request } = await partnerOf(await appOf({ services: [Others] }), version, answers);
    expect((await request('prompts/get', { name: 'greet' })).result).toMatchObject({
      messages: [{ content: { text: 'Hi Ada' } }],
    });
    const read = async (uri: string) => (await request('resources/read', { uri })).result;
    expect(await read('text://name')).toMatchObject({ contents: [{ text: 'Ada' }] });
    expect(await read('text://names/7')).toMatchObject({ contents: [{ text: 'state of 7' }] });
  });

  test('may not be a completion, and the log says what to do', async () => {
    class Completing {
      @Prompt()
      greet(@Arg('tone') tone: string) {
        return tone;
      }
      @Complete('greet', 'tone')
      tones(_prefix: string, _context: CompletionContext) {
        return inputRequired({ where: ask.roots() });
      }
    }
    const logger = recordingLogger();
    const app = await createApp({ name: 't', version: '1', services: [Completing], logger });
    const { request } = await partnerOf(app, version, answers);
    const ref = { type: 'ref/prompt', name: 'greet' };
    const { error } = await request('completion/complete', { ref, argument: { name: 'tone', value: '' } });
    expect(error).toEqual({ code: -32603, message: 'Internal error' });
    expect(logger.lines).toMatchObject([
      {
        level: 'error',
        details: { err: { message: expect.stringContaining('Return the values that are known') } },
      },
    ]);
  });
});
