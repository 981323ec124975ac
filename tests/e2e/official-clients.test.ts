import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Kind,
  LEGACY_VERSIONS,
  type Official,
  type Place,
  v1,
  v2Auto,
  v2Legacy,
  v2Pinned,
} from './clients.js';
import { Calls } from './calls.js';
import { endProcesses, isAlive, SERVER, startHttp, until } from './processes.js';

const KINDS: readonly Kind[] = [
  ...LEGACY_VERSIONS.map(v1),
  ...LEGACY_VERSIONS.map(v2Legacy),
  v2Auto,
  v2Pinned,
];

let address = '';

beforeAll(async () => {
  ({ address } = await startHttp());
});

afterAll(endProcesses);

const PLACES: readonly (readonly [string, () => Place])[] = [
  ['stdio', () => ({ script: SERVER })],
  ['HTTP', () => ({ address })],
];

for (const [where, place] of PLACES) {
  describe.each(KINDS.map((kind) => [kind.name, kind] as const))(`%s over ${where}`, (_name, kind) => {
    let official: Official;
    let calls: Calls;

    beforeAll(async () => {
      official = await kind.connect(place());
      calls = new Calls(official.client);
    });

    afterAll(async () => {
      await official.client.close();
      const { pid } = official;
      if (pid !== undefined) await until(() => !isAlive(pid));
    });

    const isOlderThan = (version: string): boolean => kind.speaks < version;

    test('speaks the revision it asked for [checklist 7]', () => expect(official.version).toBe(kind.speaks));

    test('learns who the server is', () => {
      expect(official.client.getServerVersion()).toMatchObject({ name: 'e2e', version: '1.2.3' });
      expect(official.client.getServerCapabilities()).toMatchObject({
        tools: {},
        prompts: {},
        resources: {},
      });
      expect(official.client.getInstructions()).toBe('Call what you like.');
    });

    test('lists tools, resources, templates and prompts', async () => {
      expect(await calls.names()).toEqual({
        tools: ['add', 'ask', 'count', 'crash', 'echo', 'hang', 'noisy', 'refuse', 'slow'],
        resources: ['fixed', 'item 1 a', 'item 2/b'],
        resourceTemplates: ['item'],
        prompts: ['greet'],
      });
    });

    test('calls tools', async () => {
      expect(await calls.text('echo', { text: 'Grüße 🌍' })).toBe('Grüße 🌍');
      const added = await calls.tool('add', { a: 1.5, b: 2 });
      expect(added.structuredContent).toEqual(isOlderThan('2025-06-18') ? undefined : { sum: 3.5 });
      expect(JSON.parse(String(added.text))).toEqual({ sum: 3.5 });
    });

    test('calls many tools at once', async () => {
      const texts = Array.from({ length: 20 }, (_, at) => `text ${at}`);
      expect(await Promise.all(texts.map((text) => calls.text('echo', { text })))).toEqual(texts);
    });

    test('hears of progress before the result [checklist 21]', async () => {
      const { text, progress } = await calls.withProgress('count');
      expect({ text, progress }).toEqual({ text: 'counted', progress: [1, 2, 3] });
    });

    test('is told by a result when a tool fails, and nothing of its secrets [checklist 32]', async () => {
      expect(await calls.tool('refuse')).toMatchObject({ isError: true, text: 'Not today' });
      const crashed = await calls.tool('crash');
      expect(crashed.isError).toBe(true);
      expect(crashed.text).not.toContain('secret');
    });

    test('is told by a result when arguments are wrong [checklist 30]', async () => {
      expect(await calls.tool('echo', { text: 5 })).toMatchObject({ isError: true });
    });

    test('gets an error of the protocol for what there is not [checklist 30]', async () => {
      await expect(calls.tool('no-such-tool')).rejects.toMatchObject({ code: -32602 });
      await expect(calls.read('test://no/such')).rejects.toThrow();
    });

    test('reads resources', async () => {
      expect(await calls.read('test://fixed')).toBe('fixed text');
      expect(JSON.parse(String(await calls.read('test://items/7%20a')))).toEqual({ id: '7 a' });
      const [, first, second] = await calls.resources();
      expect([first, second].map(({ uri } = { uri: '', name: '' }) => uri)).toEqual([
        'test://items/1%20a',
        'test://items/2%2Fb',
      ]);
      expect(JSON.parse(String(await calls.read(String(second?.uri))))).toEqual({ id: '2/b' });
    });

    test('gets prompts', async () => expect(await calls.prompt('greet', { name: 'Ada' })).toBe('Hello, Ada'));

    test('is not put out by what the server prints [checklist 46]', async () => {
      expect(await calls.text('noisy')).toBe('printed');
      expect(await calls.text('echo', { text: 'on' })).toBe('on');
    });

    test('cancels a call, and goes on [checklist 48]', async () => {
      await expect(calls.cancelled('hang')).rejects.toThrow();
      expect(await calls.text('echo', { text: 'on' })).toBe('on');
    });

    test('is asked by a tool, where its revision has that [checklist 44]', async () => {
      const asked = calls.text('ask');
      if (isOlderThan('2025-06-18')) await expect(asked).rejects.toMatchObject({ code: -32600 });
      else expect(await asked).toBe('accept: Ada');
    });
  });
}
