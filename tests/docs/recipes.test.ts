import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describePage, textOf } from './guide-page.js';

describePage(
  'tenants',
  ({ serve }) => {
    test('shows a server whose tenants see their own notes alone', async () => {
      const address = await serve('tenants.ts');
      const connect = async (token: string): Promise<Client> => {
        const client = new Client({ name: 'reader', version: '1.0.0' });
        const requestInit = { headers: { authorization: `Bearer ${token}` } };
        await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
        return client;
      };
      const [ada, bob] = [await connect('token-of-ada'), await connect('token-of-bob')];
      try {
        const uri = textOf(await ada.callTool({ name: 'add', arguments: { text: 'of acme' } })) ?? '';
        expect(uri).toBe('notes://0');
        expect((await ada.readResource({ uri })).contents).toMatchObject([{ text: 'of acme' }]);
        await expect(bob.readResource({ uri })).rejects.toThrow();
        await bob.callTool({ name: 'add', arguments: { text: 'of globex' } });
        expect((await bob.readResource({ uri })).contents).toMatchObject([{ text: 'of globex' }]);
      } finally {
        await Promise.all([ada.close(), bob.close()]);
      }
    });
  },
  'recipes',
);

describePage(
  'files',
  ({ connect }) => {
    const folder = mkdtempSync(join(tmpdir(), 'recipe-files-'));
    const outside = mkdtempSync(join(tmpdir(), 'recipe-outside-'));
    beforeAll(() => {
      process.env['FILES'] = folder;
      writeFileSync(join(outside, 'secret.txt'), 'secret');
      symlinkSync(join(outside, 'secret.txt'), join(folder, 'link.txt'));
    });
    afterAll(() => {
      delete process.env['FILES'];
      for (const each of [folder, outside]) rmSync(each, { recursive: true });
    });

    test('shows a server that stores, lists, links and shows files, and none outside of its folder', async () => {
      const client = await connect('files.ts');
      const data = Buffer.from('hello').toString('base64');
      const store = (name: string) => client.callTool({ name: 'store', arguments: { name, data } });
      expect(await store('note.txt')).toMatchObject({
        content: [{ type: 'resource_link', uri: 'files://note.txt' }],
      });
      expect(await store('note.txt')).toMatchObject({ isError: true });
      expect(await store('../note.txt')).toMatchObject({ isError: true });
      expect((await client.readResource({ uri: 'files://note.txt' })).contents).toMatchObject([
        { text: 'hello' },
      ]);
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain('files://note.txt');
      for (const uri of ['files://link.txt', 'files://..%2Fsecret.txt', 'files://none.txt'])
        await expect(client.readResource({ uri })).rejects.toThrow();
      await store('pixel.png');
      const show = (name: string) => client.callTool({ name: 'show', arguments: { name } });
      expect(await show('pixel.png')).toMatchObject({ content: [{ type: 'image', data }] });
      expect(await show('link.txt')).toMatchObject({ isError: true });
    });
  },
  'recipes',
);

describePage(
  'long-work',
  ({ connect }) => {
    test('shows a tool that reports its progress', async () => {
      const client = await connect('import.ts');
      const progress: unknown[] = [];
      // Long ones take long: the client drops progress that it reads together with the result.
      const rows = ['a', 'b', 'c'].map((row) => row.repeat(100));
      const call = { name: 'import_rows', arguments: { rows } };
      const result = await client.callTool(call, {
        onprogress: (report: object) => void progress.push(report),
      });
      expect(textOf(result)).toBe('Imported 3 rows');
      expect(progress).toContainEqual({ progress: 1, total: 3, message: `Imported ${rows[0]}` });
    });
  },
  'recipes',
);
