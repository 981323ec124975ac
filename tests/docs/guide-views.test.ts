import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { AppHost, noChromium } from '../e2e/app-host.js';
import { endProcesses, freePort, ServerProcess, until } from '../e2e/processes.js';
import { describePage } from './guide-page.js';

const PAGE = readFileSync('docs/guide/views.md', 'utf8');

describePage('views', (page) => {
  const testInChromium = noChromium === undefined ? test : test.skip;

  testInChromium(
    `has a view that shows the list, and adds to it${noChromium ? ` (${noChromium})` : ''}`,
    async () => {
      await page.write('dist/ui/index.html', await oneFile(page.fileOf('ui/src/main.ts')));
      const port = await freePort();
      const server = new ServerProcess(page.fileOf('src/main.ts'), ['--http', '--port', String(port)]);
      const address = `http://127.0.0.1:${port}/mcp`;
      const answers = (): Promise<boolean> =>
        fetch(address).then(
          () => true,
          () => false,
        );
      await until(answers, 20_000);
      const host = await AppHost.start(address);
      try {
        const { frame } = await host.show({ mode: 'auto', tool: 'show_list', args: {}, theme: 'dark' });
        const items = frame.locator('li');
        await until(async () => String(await items.allTextContents()) === 'Bread');
        await frame.locator('input').fill('Milk');
        await frame.locator('button').click();
        await until(async () => String(await items.allTextContents()) === 'Bread,Milk');
        expect(await frame.evaluate('document.documentElement.style.colorScheme')).toBe('dark');
        expect(host.faults).toEqual([]);
      } finally {
        await host.close();
        await endProcesses();
      }
      expect(server.child.exitCode ?? server.child.signalCode).not.toBeNull();
    },
    60_000,
  );

  test('shows what a view may reach', async () => {
    const client = await page.connect('csp.ts');
    const { contents } = await client.readResource({ uri: 'ui://map/view.html' });
    expect(contents[0]?._meta).toMatchObject({
      ui: { csp: { connectDomains: ['https://api.example.com'] }, permissions: { geolocation: {} } },
    });
  });
});

/** The HTML of the page, with its program in it. */
async function oneFile(program: string): Promise<string> {
  const html = /^```html\n([\s\S]*?)^```$/m.exec(PAGE)?.[1] ?? '';
  const { outputFiles } = await build({ entryPoints: [program], bundle: true, format: 'esm', write: false });
  const script = `<script type="module">${outputFiles[0]?.text}</script>`;
  return html.replace(/<script type="module" src="\/src\/main.ts"><\/script>/, () => script);
}
