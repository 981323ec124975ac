import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AppHost, noChromium } from './app-host.js';
import { createMcpApp, endStarted, passTests, start, succeed, temporaryFolder } from './create-mcp-app.js';
import { LONG_MS } from './created-project.js';
import { endProcesses, freePort, ServerProcess, until } from './processes.js';

/** What views are made with, and a template of each kind. */
const PROJECTS = [
  { ui: 'vanilla', template: 'http' },
  { ui: 'react', template: 'minimal' },
  { ui: 'svelte', template: 'full' },
] as const;

const MODES = [
  ['auto', 'auto', '2026-07-28'],
  ['2026-07-28', { pin: '2026-07-28' }, '2026-07-28'],
  ['legacy', 'legacy', '2025-11-25'],
] as const;

afterEach(endStarted);

describe.each(PROJECTS)('a project of $template with a view by $ui', ({ ui, template }) => {
  const folder = temporaryFolder();
  const project = join(folder.path, 'dice');
  const served: { host?: AppHost } = {};

  beforeAll(async () => {
    const flags = ['--template', template, '--ui', ui, '--pm', 'npm', '--no-git', '--json'];
    // Jest has set another, by which React would be built for tests.
    const options = { env: { NODE_ENV: '' } };
    const { code, stdout } = await createMcpApp(folder.path, ['dice', ...flags], options);
    expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' });
    expect(JSON.parse(stdout)).toMatchObject({ ui, answer: expect.stringMatching(/"dice":\[\d,\d,\d\]/) });
    expect(await createMcpApp(project, ['add', 'view', 'road-trip'])).toMatchObject({ code: 0, stderr: '' });
    expect(await start(project, 'npm', ['run', 'build'], options).outcome).toMatchObject({ code: 0 });
    const port = await freePort();
    const server = new ServerProcess(join(project, 'dist/main.js'), ['--http', '--port', String(port)]);
    const address = `http://127.0.0.1:${port}/mcp`;
    await until(() => server.stderr.includes(`Listening on ${address}`), 20_000);
    if (noChromium === undefined) served.host = await AppHost.start(address);
  }, 2 * LONG_MS);

  afterAll(async () => {
    await served.host?.close();
    await endProcesses();
    folder[Symbol.dispose]();
  });

  test(
    'passes its tests and checks',
    async () => {
      await passTests(project, 'npm');
      await succeed(project, 'npm', 'run', 'typecheck');
      await succeed(project, 'npm', 'run', 'check');
      if (template === 'full') await succeed(project, 'npm', 'run', 'lint');
    },
    2 * LONG_MS,
  );

  const testInChromium = noChromium === undefined ? test : test.skip;

  testInChromium.each(MODES)(
    `shows the result of its tool, calls another and follows its host, with a client of %s${noChromium ? ` (${noChromium})` : ''}`,
    async (_name, mode, version) => {
      const host = served.host!;
      const args = { count: 3, sides: 100 };
      const shown = await host.show({ mode, tool: 'roll_dice', args, theme: 'dark' });
      expect(shown).toMatchObject({
        uri: 'ui://dice/view.html',
        version,
        view: { name: 'dice', version: '0.1.0' },
      });
      const { frame, result } = shown;
      const { dice } = result.structuredContent as { dice: number[] };
      const buttons = frame.locator('.dice button');
      const texts = () => buttons.allTextContents();
      await until(async () => (await texts()).length === 3);
      expect(await texts()).toEqual(dice.map(String));
      expect(await frame.locator('[role=status]').textContent()).toBe(
        `Total: ${dice.reduce((a, b) => a + b)}`,
      );

      const before = host.calls.length;
      await buttons.nth(1).click();
      await until(() => host.calls.length > before);
      const { asked, answer } = host.calls.at(-1)!;
      expect(asked).toMatch(/"name":"roll_die","arguments":\{"sides":100\}/);
      const value = /"value":(\d+)/.exec(answer)?.[1];
      const again = [dice[0], value, dice[2]].map(String);
      await until(async () => String(await texts()) === String(again));

      const theme = () => frame.evaluate('document.documentElement.dataset.theme');
      expect(await theme()).toBe('dark');
      await host.evaluate(`bridge.setHostContext({ theme: 'light' })`);
      await until(async () => (await theme()) === 'light');

      const height = await frame.evaluate('document.documentElement.getBoundingClientRect().height');
      expect(await host.evaluate('seen.sizes.at(-1)')).toMatchObject({ height: Math.ceil(Number(height)) });
      expect(await host.evaluate('bridge.teardownResource({})')).toEqual({});
      expect(host.faults).toEqual([]);
    },
    60_000,
  );

  testInChromium(
    'shows the result of an added tool in the added view',
    async () => {
      const host = served.host!;
      const shown = await host.show({
        mode: 'auto',
        tool: 'show_road_trip',
        args: { text: 'To the sea' },
        theme: 'dark',
      });
      expect(shown).toMatchObject({ uri: 'ui://road-trip/view.html', view: { name: 'road-trip' } });
      const text = shown.frame.locator('[role=status]');
      await until(async () => String(await text.allTextContents()) === 'To the sea');
      expect(host.faults).toEqual([]);
    },
    60_000,
  );
});
