import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import { createMcpApp, endStarted, succeed, temporaryFolder } from './create-mcp-app.js';

// Compilers run here, and the machine may be busy.
jest.setTimeout(200_000);

const ROOT = process.cwd();
/** How the script of the page begins. */
const MARKER = 'The page of sigil dev.';

afterEach(endStarted);

/** The files below a folder that have the marker. */
function marked(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path, 'latin1').includes(MARKER));
}

test('what is built and packed of an app has nothing of the page for its developer', async () => {
  const browser = join(ROOT, 'packages/cli/dist/browser');
  expect(marked(browser)).toEqual([join(browser, 'page.js')]);
  using folder = temporaryFolder();
  await createMcpApp(folder.path, ['app', '--template', 'minimal', '--no-install']);
  const project = join(folder.path, 'app');
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'), 'dir');

  await succeed(project, 'npm', 'run', 'bundle', '--', '--ship', 'ship');
  await succeed(project, 'npm', 'pack', '--pack-destination', folder.path);

  const packed = join(folder.path, 'packed');
  mkdirSync(packed);
  const [tarball = ''] = readdirSync(folder.path).filter((name) => name.endsWith('.tgz'));
  await succeed(folder.path, 'tar', '-xzf', tarball, '-C', packed);
  expect(readdirSync(join(packed, 'package/src'))).toContain('main.ts');
  expect([...marked(join(project, 'ship')), ...marked(join(project, 'dist')), ...marked(packed)]).toEqual([]);
});
