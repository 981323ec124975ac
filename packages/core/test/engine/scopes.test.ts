import { describe, expect, test } from '@jest/globals';
import { IsString, Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { z } from 'zod';
import {
  Arg,
  type App,
  Complete,
  createApp,
  DefinitionError,
  defineCompletion,
  definePrompt,
  defineTool,
  InsufficientScopeError,
  Param,
  Prompt,
  RequireScopes,
  Resource,
  Service,
  TaskSupport,
  Tool,
} from '../../src/index.js';
import {
  appOf,
  type Client,
  type Json,
  openSession,
  recordingLogger,
  settled,
  statelessClient,
  textOf,
} from '../harness.js';
import { beginTask, endOf, taskClient } from '../extensions/task-client.js';

@Service()
@RequireScopes('files')
class Files {
  @Tool()
  @RequireScopes('files:list')
  list(): string {
    return 'a.txt';
  }

  @Tool()
  @RequireScopes(async ({ to }: { to: string }) => [`files:write:${to}`])
  move(@Arg('to') to: string): string {
    return `moved to ${to}`;
  }

  @Tool()
  refuse(): string {
    throw new InsufficientScopeError(['files:admin']);
  }

  @Tool()
  @TaskSupport('required')
  @RequireScopes('files:scan')
  scan(): string {
    return 'scanned';
  }

  @Resource('files://{name}')
  @RequireScopes(({ name }: { name: string }) => [`files:read:${name}`])
  read(@Param('name') name: string): string {
    return name;
  }

  @Prompt()
  review(@Arg('file') file: string): string {
    return file;
  }

  @Complete('review', 'file')
  @RequireScopes('files:names')
  names(): string[] {
    return ['a.txt'];
  }
}

const serve = (): Promise<App> => createApp({ name: 'files', version: '1.0.0', services: [Files] });
const clientWith = (app: App, ...scopes: string[]): Client =>
  statelessClient(app, {}, { requestInfo: { principal: { id: 'ada', scopes } } });
const needed = (...scopes: string[]): Json => ({
  code: 403,
  data: { authorization: { reason: 'insufficient_scope', scopes } },
});

describe('@RequireScopes', () => {
  test('refuses a call with all scopes that it needs, those of the class and of the method', async () => {
    const app = await serve();
    expect(await clientWith(app, 'files').error('tools/call', { name: 'list' })).toMatchObject(
      needed('files', 'files:list'),
    );
    expect(textOf(await clientWith(app, 'files', 'files:list').call('list', {}))).toBe('a.txt');
  });

  test('asks for scopes by the arguments, once these have been checked', async () => {
    const app = await serve();
    const client = clientWith(app, 'files', 'files:write:notes');
    expect(await client.error('tools/call', { name: 'move', arguments: { to: 'other' } })).toMatchObject(
      needed('files', 'files:write:other'),
    );
    expect(textOf(await client.call('move', { to: 'notes' }))).toBe('moved to notes');
    expect(await client.call('move', { to: 7 })).toMatchObject({ isError: true });
  });

  test('asks for scopes by the variables of a template', async () => {
    const client = clientWith(await serve(), 'files', 'files:read:a');
    expect(await client.error('resources/read', { uri: 'files://b' })).toMatchObject(
      needed('files', 'files:read:b'),
    );
    expect(await client.result('resources/read', { uri: 'files://a' })).toMatchObject({
      contents: [{ text: 'a' }],
    });
  });

  test('holds for completions: those of what is completed, and of the source', async () => {
    const app = await serve();
    const params = { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'file', value: '' } };
    expect(await clientWith(app).error('completion/complete', params)).toMatchObject(needed('files'));
    expect(await clientWith(app, 'files').error('completion/complete', params)).toMatchObject(
      needed('files', 'files:names'),
    );
    const completed = await clientWith(app, 'files', 'files:names').result('completion/complete', params);
    expect(completed).toMatchObject({ completion: { values: ['a.txt'] } });
  });

  test('asks functions of completions for scopes by what there is of the arguments', async () => {
    const folders = definePrompt({
      name: 'open',
      input: { type: 'object', properties: { folder: { type: 'string' } } },
      scopes: [({ folder }: { folder: string }) => [`folders:${folder}`]],
      handle: () => 'opened',
    });
    const names = defineCompletion({ ref: 'open', argument: 'folder', handle: () => ['secret'] });
    const app = await createApp({ name: 'f', version: '1.0.0', definitions: [folders, names] });
    const params = { ref: { type: 'ref/prompt', name: 'open' }, argument: { name: 'folder', value: 'a' } };
    expect(await clientWith(app).error('completion/complete', params)).toMatchObject(needed('folders:a'));
    expect(await clientWith(app, 'folders:a').result('completion/complete', params)).toMatchObject({
      completion: { values: ['secret'] },
    });
  });

  test('holds for a task as long as it lives', async () => {
    const app = await serve();
    const as = (...scopes: string[]): Client => taskClient(app, {}, { principal: { id: 'ada', scopes } });
    const taskId = await beginTask(as('files', 'files:scan'), 'scan');
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect(await as('files').error(method, { taskId })).toMatchObject(needed('files', 'files:scan'));
    expect(await as('files', 'files:scan').result('tasks/get', { taskId })).toMatchObject({ taskId });
  });

  test('refuses who has no principal, and hides nothing from lists', async () => {
    const client = statelessClient(await serve());
    expect(await client.error('prompts/get', { name: 'review' })).toMatchObject(needed('files'));
    const { tools } = await client.result('tools/list');
    expect((tools as Json[]).map(({ name }) => name)).toContain('list');
  });

  test('asks for scopes by what the handler gets: arguments are parsed once', async () => {
    let parsed = 0;
    const flips = defineTool({
      name: 'flips',
      input: z
        .object({ folder: z.string() })
        .transform(({ folder }) => ({ folder: `${folder} ${(parsed += 1)}` })),
      scopes: [({ folder }: { folder: string }) => [`folders:${folder.replace(' ', ':')}`]],
      handle: ({ folder }) => folder,
    });
    const app = await createApp({ name: 'f', version: '1.0.0', definitions: [flips] });
    const params = { name: 'flips', arguments: { folder: 'mine' } };
    expect(await clientWith(app).error('tools/call', params)).toMatchObject(needed('folders:mine:1'));
    const client = clientWith(app, 'folders:mine:2');
    expect(textOf(await client.call('flips', { folder: 'mine' }))).toBe('mine 2');
    expect(parsed).toBe(2);
  });

  test('runs an async constraint of the arguments once a call, and once a subscription', async () => {
    let runs = 0;
    @ValidatorConstraint({ async: true })
    class Exists implements ValidatorConstraintInterface {
      async validate(folder: unknown): Promise<boolean> {
        await settled();
        runs += 1;
        return folder !== 'missing';
      }
    }
    class Place {
      @IsString() @Validate(Exists) folder!: string;
    }
    class Folders {
      @Tool()
      @RequireScopes(({ folder }: Place) => [`folders:${folder}`])
      open(place: Place): string {
        return place.folder;
      }
      @Resource('folders://{folder}')
      @RequireScopes(({ folder }: Place) => [`folders:${folder}`])
      read(place: Place): string {
        return place.folder;
      }
    }
    const app = await createApp({ name: 'f', version: '1.0.0', services: [Folders] });
    const client = clientWith(app, 'folders:mine');
    const runsOf = async (request: Promise<unknown>): Promise<number> => {
      runs = 0;
      await request;
      return runs;
    };
    const open = (folder: string): Json => ({ name: 'open', arguments: { folder } });
    const asked = { uri: 'folders://mine' };
    expect(await runsOf(client.result('tools/call', open('mine')))).toBe(1);
    expect(await runsOf(client.error('tools/call', open('other')))).toBe(1);
    expect(await runsOf(client.result('tools/call', open('missing')))).toBe(1);
    expect(await runsOf(client.result('resources/read', asked))).toBe(1);
    const requestInfo = { principal: { id: 'ada', scopes: ['folders:mine'] } };
    const session = await openSession(app, '2025-11-25', {}, { requestInfo });
    expect(await runsOf(session.result('resources/subscribe', asked))).toBe(1);
  });

  test('asks for fixed scopes before arguments are looked at', async () => {
    let parsed = 0;
    const tool = defineTool({
      name: 'move',
      input: z.object({ to: z.string().refine(() => (parsed += 1) > 0) }),
      scopes: ['files', ({ to }: { to: string }) => [`files:${to}`]],
      handle: ({ to }) => to,
    });
    const app = await createApp({ name: 'f', version: '1.0.0', definitions: [tool] });
    const params = { name: 'move', arguments: { to: 'a' } };
    expect(await clientWith(app).error('tools/call', params)).toMatchObject(needed('files'));
    expect(parsed).toBe(0);
    expect(await clientWith(app, 'files').error('tools/call', params)).toMatchObject(
      needed('files', 'files:a'),
    );
    expect(parsed).toBe(1);
  });

  test('holds for a task whose tool is served no more', async () => {
    const slow = defineTool({
      name: 'slow',
      scopes: ['slow'],
      metadata: TaskSupport.entry('required'),
      handle: () => 'done',
    });
    const app = await createApp({ name: 's', version: '1.0.0' });
    app.tools.add(slow);
    const as = (...scopes: string[]): Client => taskClient(app, {}, { principal: { id: 'ada', scopes } });
    const taskId = await beginTask(as('slow'), 'slow');
    await endOf(as('slow'), taskId);
    app.tools.remove('slow');
    expect(await as().error('tasks/get', { taskId })).toMatchObject(needed('slow'));
    expect(await as('slow').result('tasks/get', { taskId })).toMatchObject({ status: 'completed' });
  });

  test.each(['other notes', 'a"b', 'a\\b', 'é'])(
    'refuses arguments of which %j is a part: they make no scope',
    async (to) => {
      const logger = recordingLogger();
      const app = await appOf({ services: [Files], logger });
      const client = clientWith(app, 'files');
      const error = await client.error('tools/call', { name: 'move', arguments: { to } });
      expect(error).toMatchObject({ code: -32602 });
      expect(error.message).toContain(JSON.stringify(`files:write:${to}`));
      expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  test('refuses a call when a function does not give its scopes in time', async () => {
    const tool = defineTool({
      name: 'count',
      scopes: [() => new Promise<never>(() => undefined)],
      handle: () => 1,
    });
    const logger = recordingLogger();
    const app = await appOf({ definitions: [tool], logger, limits: { guardTimeoutMs: 20 } });
    expect(await clientWith(app).error('tools/call', { name: 'count' })).toMatchObject({ code: -32603 });
    expect(String(logger.lines[0]?.details['err'])).toContain('did not answer within 20 ms');
  });

  test('lets a handler refuse in the same way', async () => {
    const client = clientWith(await serve(), 'files');
    expect(await client.error('tools/call', { name: 'refuse' })).toMatchObject(needed('files:admin'));
  });

  test.each([['a"b'], ['a\r\nSet-Cookie: x'], ['']])('is told by scopes alone, and not by %j', (scope) => {
    expect(() => new InsufficientScopeError([scope])).toThrow(TypeError);
  });

  test('has a twin for functions', async () => {
    const tool = defineTool({ name: 'count', scopes: ['count'], handle: () => 1 });
    const app = await createApp({ name: 'counts', version: '1.0.0', definitions: [tool] });
    expect(await clientWith(app).error('tools/call', { name: 'count' })).toMatchObject(needed('count'));
  });

  test('refuses to start without a scope, and where scopes are no list', async () => {
    class Open {
      @Tool()
      @RequireScopes()
      open(): string {
        return 'open';
      }
    }
    const scopes = 'files' as unknown as string[];
    const definitions = [defineTool({ name: 'count', scopes, handle: () => 1 })];
    const started = createApp({ name: 'o', version: '1.0.0', services: [Open], definitions });
    await expect(started).rejects.toThrow(DefinitionError);
    await expect(started).rejects.toThrow('nothing is not a scope');
    await expect(started).rejects.toThrow("defineTool('count'), scopes: it must be a list");
  });

  test.each([['a b'], [''], [7], [['files']], ['s'.repeat(257)]])(
    'refuses to start with the scope %j',
    async (scope) => {
      const tool = defineTool({ name: 'count', scopes: [scope as string], handle: () => 1 });
      const started = createApp({ name: 'counts', version: '1.0.0', definitions: [tool] });
      await expect(started).rejects.toThrow(DefinitionError);
      await expect(started).rejects.toThrow('is not a scope');
    },
  );
});
