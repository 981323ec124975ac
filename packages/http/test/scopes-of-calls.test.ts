import { describe, expect, test } from '@jest/globals';
import { type App, defineTool } from '@sigil/core';
import { tokenAuthenticator } from '../src/authentication/index.js';
import { as } from './fixtures/as.js';
import { httpRuntime, type Mounted } from './fixtures/bridges.js';
import { EventReader } from './fixtures/events.js';
import { call, type Message, textOf } from './fixtures/messages.js';
import { nodesForEach } from './fixtures/nodes.js';
import { initialize, openSession, type Session, sessionAt } from './fixtures/session.js';
import { SseClient } from './fixtures/sse-client.js';
import { type Bench, createBench, describeBridges } from './fixtures/suite.js';
import { within } from './fixtures/within.js';

const HAS_ROOTS = { roots: {} };
/** Both are Ada's: one may write, the other may not. */
const options = {
  authenticate: tokenAuthenticator({
    strong: { id: 'ada', scopes: ['notes:read', 'notes:write'] },
    weak: { id: 'ada', scopes: ['notes:read'] },
  }),
};

/** Adds tools that need the scope `notes:write`: one reports before it answers, one asks. */
function addTools(app: App, isLate: () => Promise<boolean> = () => Promise.resolve(true)): void {
  const scopes = ['notes:write'];
  app.tools.add(
    defineTool({
      name: 'export',
      scopes,
      handle: async (_args, context) => {
        context.progress(1);
        await isLate();
        return 'a secret';
      },
    }),
  );
  app.tools.add(
    defineTool({
      name: 'wipe',
      scopes,
      handle: async (_args, context) => `${(await context.roots()).length} roots`,
    }),
  );
}

const by = (token: string, session: Session, to: Mounted): Session =>
  sessionAt(as(token, to), session.headers, session.id);

const exporting = (): object => call('export', {}, 1, { progressToken: 'p' });
const answerTo = (question: Message | undefined): object => ({
  jsonrpc: '2.0',
  id: question?.id,
  result: { roots: [] },
});

async function expectRefused(response: Response): Promise<void> {
  expect(response.status).toBe(403);
  expect(response.headers.get('www-authenticate')).toBe(
    'Bearer error="insufficient_scope", scope="notes:write"',
  );
  expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: 403 } });
}

/** What a test waits for, and lets happen. */
function gate(): { readonly opened: () => Promise<boolean>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<boolean>((resolve) => (open = () => resolve(true)));
  return { opened: () => opened, open };
}

const addAll = ({ nodes }: Bench, isLate?: () => Promise<boolean>): void => {
  for (const { app } of nodes) addTools(app, isLate);
};

describeBridges(
  'a session that is used with a weaker token of the same user',
  (bench) => {
    test('is not given the rest of a call that needed more scopes, while it runs or after that', async () => {
      const { opened, open } = gate();
      addAll(bench(), opened);
      const strong = await openSession(as('strong', bench()));
      const weak = by('weak', strong, bench());
      const lost = new EventReader(await within(strong.post(exporting())));
      const seen = [await within(lost.event()), await within(lost.event())].at(-1);
      await expectRefused(await weak.resume(seen?.id));
      open();
      await within(lost.rest());
      await expectRefused(await weak.resume(seen?.id));
      const rest = await within(new EventReader(await strong.resume(seen?.id)).rest());
      expect(rest.map(textOf)).toEqual(['a secret']);
    });

    test('finds nothing by an event id without the scopes, or with others', async () => {
      const { opened, open } = gate();
      addAll(bench(), opened);
      const strong = await openSession(as('strong', bench()));
      const lost = new EventReader(await within(strong.post(exporting())));
      const seen = [await within(lost.event()), await within(lost.event())].at(-1);
      open();
      await within(lost.rest());
      const weak = by('weak', strong, bench());
      const [stream = '', at = ''] = seen?.id?.split('.') ?? [];
      const name = stream.slice(0, stream.indexOf('~'));
      expect(name).not.toBe('');
      const others = Buffer.from('notes:read').toString('base64url');
      for (const made of [
        name,
        `${name}~`,
        `${name}~!`,
        `${name}~${others}`,
        `${name}~${Buffer.from('"').toString('base64url')}`,
      ]) {
        const controller = new AbortController();
        const found = await weak.resume(`${made}.${at}`, controller.signal);
        // Where nothing is known of it, another process might be serving it.
        if (found.status === 200) controller.abort();
        else expect(found.status).toBe(204);
      }
    });

    test('does not answer what a call asks that needed more scopes', async () => {
      addAll(bench());
      const strong = await openSession(as('strong', bench()), '2025-11-25', HAS_ROOTS);
      const events = new EventReader(await within(strong.post(call('wipe'))));
      const question = await within(events.message());
      await expectRefused(await by('weak', strong, bench()).post(answerTo(question)));
      expect((await strong.post(answerTo(question))).status).toBe(202);
      expect(textOf(await within(events.message()))).toBe('0 roots');
    });

    test('does not answer it in a batch, nor gets the rest of one', async () => {
      addAll(bench());
      const strong = await openSession(as('strong', bench()), '2025-03-26', HAS_ROOTS);
      const weak = by('weak', strong, bench());
      const events = new EventReader(await within(strong.post([call('wipe', {}, 1), call('echo', {}, 2)])));
      const first = await within(events.event());
      const question = first?.message;
      await expectRefused(await weak.post([answerTo(question)]));
      expect((await weak.resume(first?.id)).status).toBe(403);
      expect((await strong.post([answerTo(question)])).status).toBe(202);
      await within(events.rest());
      expect((await weak.resume(first?.id)).status).toBe(403);
    });
  },
  options,
);

describe('a stream that is opened before it is known what its call needs', () => {
  test('needs all scopes of who called', async () => {
    const { opened, open } = gate();
    const bench = await createBench(httpRuntime, { ...options, streams: { afterMs: 10 } });
    bench.app.tools.add(
      defineTool({
        name: 'slow',
        guards: [() => opened()],
        scopes: ['notes:write'],
        handle: () => 'a secret',
      }),
    );
    const strong = await openSession(as('strong', bench));
    const lost = new EventReader(await within(strong.post(call('slow'))));
    const seen = await within(lost.event());
    const refused = await by('weak', strong, bench).resume(seen?.id);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="notes:read notes:write"',
    ]);
    open();
    expect((await within(lost.rest())).map(textOf)).toEqual(['a secret']);
    await bench.end();
  });
});

test('a challenge of very many scopes names as many as its header takes, and the body names all', async () => {
  const scopes = Array.from({ length: 100 }, (_, at) => `files:${String(at).padStart(250, 'p')}`);
  const bench = await createBench(httpRuntime, options);
  bench.app.tools.add(defineTool({ name: 'many', scopes, handle: () => 'a secret' }));
  const session = await openSession(as('weak', bench));
  const refused = await within(session.post(call('many')));
  expect(refused.status).toBe(403);
  const [, named = ''] = /scope="([^"]*)"$/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
  expect(named.split(' ')).toEqual(scopes.slice(0, 15));
  expect(JSON.stringify(await refused.json())).toContain(scopes.at(-1));
  await bench.end();
});

describe('a shared session that is used with a weaker token of the same user', () => {
  const nodes = nodesForEach();

  test('neither gets the rest of the call nor answers its question in another process', async () => {
    const { one, other } = await nodes(options);
    const { opened, open } = gate();
    addTools(one.app, opened);
    const strong = await openSession(as('strong', one), '2025-11-25', HAS_ROOTS);
    const there = by('strong', strong, other);
    const weak = by('weak', strong, other);
    const asking = new EventReader(await within(strong.post(call('wipe', {}, 2))));
    const question = [await within(asking.event()), await within(asking.event())].at(-1);
    const answer = answerTo(question?.message);
    await expectRefused(await weak.post(answer));
    expect((await there.post(answer)).status).toBe(202);
    expect(textOf(await within(asking.message()))).toBe('0 roots');

    const lost = new EventReader(await within(strong.post(exporting())));
    const seen = [await within(lost.event()), await within(lost.event())].at(-1);
    await expectRefused(await weak.resume(seen?.id));
    const resumed = new EventReader(await within(there.resume(seen?.id)));
    await within(resumed.event());
    open();
    expect((await within(resumed.rest())).map(textOf)).toEqual(['a secret']);
    await expectRefused(await weak.resume(seen?.id));
  });
});

describe('a session of HTTP+SSE that is used with a weaker token of the same user', () => {
  test('does not answer what a call asks that needed more scopes', async () => {
    const bench = await createBench(httpRuntime, { ...options, sse: true });
    addTools(bench.app);
    const [strong, weak] = ['strong', 'weak'].map((token) => ({ Authorization: `Bearer ${token}` }));
    const client = await SseClient.connect(bench, '/sse', strong);
    const post = async (message: unknown): Promise<number> => (await client.post(message, strong)).status;
    await post(initialize('2024-11-05', HAS_ROOTS));
    await client.next();
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await post(call('wipe'))).toBe(202);
    const question = await client.next();
    await expectRefused(await client.post(answerTo(question), weak));
    expect(await post(answerTo(question))).toBe(202);
    expect(textOf(await client.next())).toBe('0 roots');
    await client.leave();
    await bench.end();
  });
});
