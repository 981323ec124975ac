import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { BeginLogin } from '../../packages/cli/src/page/logins.js';
import {
  answerInPlace,
  choose,
  describeInBrowser,
  type DevPage,
  openDevPage,
  withDevPage,
} from './dev-page.js';

/** Logs in without an authorization server: the browser comes back at once. */
const comesBack: BeginLogin = async ({ redirectUri, scopes = [] }) => {
  const state = `state-${scopes.length}`;
  const login = { accessToken: scopes.length > 0 ? 'full' : 'plain', scopes, subject: 'ada' };
  const again = { refresh: () => Promise.reject(new Error('over')), revoke: async () => undefined };
  return {
    authorizeUrl: `${redirectUri}?code=c&state=${state}`,
    state,
    scopes,
    finish: async () => ({ ...login, ...again }),
  };
};

describeInBrowser('what the page of sigil dev tells', () => {
  let dev: DevPage;
  let page: Page;
  withDevPage(async (started, browser) => {
    dev = started;
    page = await openDevPage(browser, dev.url);
  });

  const tab = (name: RegExp): Promise<void> => page.getByRole('tab', { name }).click();
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const activity = () => page.getByRole('complementary', { name: 'Activity' });

  test('the token leaves the address, and a page without one says what to do', async () => {
    expect(page.url()).not.toContain('token');
    await page.reload();
    await page.getByRole('button', { name: 'place_order' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(new URL('/', dev.url).href);
    await other.getByText('Open the link that sigil dev shows').waitFor();
  });

  test('messages are traced with times and headers', async () => {
    await choose(page, 'test_simple_text');
    await press('Call');
    await page.locator('.outcome').first().waitFor();
    await tab(/^Trace/);
    await activity().getByRole('searchbox').fill('tools/call');
    await activity().locator('summary').first().click();
    await activity().getByText('mcp-method').first().waitFor();
    await activity().getByText('mcp-protocol-version').first().waitFor();
    await activity().getByText('"This is a simple text response for testing."').waitFor();
  });

  test('calls of other clients are shown as they end', async () => {
    await tab(/^Calls/);
    dev.state.tell('call', {
      time: new Date().toISOString(),
      method: 'tools/call',
      name: 'add',
      outcome: 'ok',
      ms: 3,
      client: 'vscode',
    });
    dev.state.tell('refused', { time: new Date().toISOString(), status: 401, reason: 'no token' });
    const row = activity().getByRole('listitem').filter({ hasText: 'vscode' });
    await row.getByText('add', { exact: true }).waitFor();
    await activity().getByText('refused').first().waitFor();
  });

  test('many calls leave the tabs in one row', async () => {
    for (let count = 0; count < 120; count += 1)
      for (const kind of ['call', 'refused']) dev.state.tell(kind, { time: new Date().toISOString() });
    const tabs = activity().getByRole('tab');
    await tabs.getByText('99+').first().waitFor();
    const tops = await tabs.evaluateAll((all) =>
      all.map((one: { getBoundingClientRect(): { top: number } }) => one.getBoundingClientRect().top),
    );
    expect(new Set(tops).size).toBe(1);
    const left = await activity()
      .getByRole('tablist')
      .evaluate((row: { scrollWidth: number; clientWidth: number }) => row.scrollWidth - row.clientWidth);
    expect(left).toBe(0);
  });

  test('subscriptions and changes of lists are heard live', async () => {
    await choose(page, 'test://watched-resource');
    await press('Subscribe');
    await choose(page, 'touch_watched_resource');
    await tab(/^Changes/);
    await activity().getByText('test://watched-resource').first().waitFor();
    await page.getByRole('tab', { name: 'Changes', exact: true }).waitFor();
    // The subscription begins some time after it was asked for.
    for (
      let tries = 0;
      tries < 20 && (await activity().getByText('resources/updated').count()) === 0;
      tries += 1
    ) {
      await press('Call');
      await page.waitForTimeout(200);
    }
    await activity().getByText('resources/updated').first().waitFor();
    await choose(page, 'test_trigger_tool_change');
    await press('Call');
    await page.getByRole('navigation').getByText('temporary_tool').waitFor();
    await press('Call');
    await page.getByRole('navigation').getByText('temporary_tool').waitFor({ state: 'detached' });
    await activity().getByRole('button', { name: 'Unsubscribe from test://watched-resource' }).click();
  });

  test('the list is filtered, with tokens and findings of each tool', async () => {
    await page.getByRole('searchbox', { name: 'Filter', exact: true }).fill('places order');
    const tools = page.getByRole('region', { name: 'Tools' });
    await tools.getByTitle('about 326 tokens').waitFor();
    expect(await tools.getByRole('listitem').count()).toBe(1);
    await choose(page, 'place_order');
    await page.getByRole('list', { name: 'Properties' }).getByText('326 tokens').waitFor();
    await tab(/^Findings/);
    await activity()
      .getByText(/All tools together take \d+ tokens/)
      .waitFor();
    await activity().getByText('tool mix_color').first().waitFor();
    await page.getByRole('searchbox', { name: 'Filter', exact: true }).fill('');
  });

  test('why somebody sees something is said in order', async () => {
    await choose(page, 'reset_counts');
    await page.getByText('This client does not see it.').waitFor();
    await tab(/^Visibility/);
    // The program is started to be asked, which a busy machine may not manage in time.
    const explained = page.getByText('A client without a login does not see it.');
    for (let tries = 0; tries < 3 && (await explained.count()) === 0; tries += 1) {
      await press('Explain');
      await page.locator('.why [role=status]').filter({ hasText: /./ }).waitFor();
    }
    await explained.waitFor();
    await page.getByText('refuses').waitFor();
    await page.getByRole('textbox', { name: 'Principal' }).fill('alice');
    await page.getByRole('textbox', { name: 'Scopes' }).fill('admin');
    await press('Explain');
    await page.getByText('alice sees it.').waitFor();
  }, 90_000);

  test('lines of the compiler and of the server are shown, those from before the page too', async () => {
    dev.state.write('compiler', 'Found 0 errors. Watching for file changes.');
    await page.reload();
    await tab(/^Output/);
    for (let count = 1; count <= 200; count += 1)
      dev.state.write('server', `\u001b[31mline ${count}\u001b[39m`);
    const output = activity().getByRole('list', { name: 'Output' });
    await output.getByText('Found 0 errors').waitFor();
    const last = output.getByRole('listitem').filter({ hasText: /line 200$/ });
    await last.waitFor();
    // It follows the last line.
    const box = await last.boundingBox();
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
    expect(await output.textContent()).not.toContain('[31m');
  });

  test('a server without server/discover is met in a session, and the page says so', async () => {
    await answerInPlace(page, 'server/discover', { error: { code: -32601, message: 'Method not found' } });
    await page.reload();
    const notice =
      'The server does not support revision 2026-07-28 (server/discover: Method not found). The page uses revision 2025-11-25 instead.';
    await page.getByText(notice).waitFor();
    expect(await page.getByRole('radio', { name: '2025-11-25' }).isChecked()).toBe(true);
    await choose(page, 'test_simple_text');
    await press('Call');
    await page.getByRole('article', { name: 'test_simple_text, 2025-11-25' }).getByText('ok').waitFor();
    await page.unrouteAll();
    await page.getByText('2026-07-28', { exact: true }).first().click();
    await page.getByText(notice).waitFor({ state: 'detached' });
  });

  test('problems of the compiler and a server that is down stand on top', async () => {
    const { server } = dev.state;
    dev.state.change({
      compiler: { isCompiling: false, problems: ["src/a.ts(1,1): error TS1005: ';' expected"] },
    });
    await page.getByText('The compiler finds 1 problem').waitFor();
    dev.state.change({
      server: { status: 'failed', reason: 'The port is taken' },
      compiler: { isCompiling: false, problems: [] },
    });
    const alerts = page.locator('.alerts');
    await alerts.getByText('The port is taken').waitFor();
    await choose(page, 'test_simple_text');
    await press('Call');
    await page.locator('.outcome-failed').getByText('The server is not running').waitFor();
    dev.state.change({ server, starts: dev.state.starts + 1 });
    await alerts.getByText('The port is taken').waitFor({ state: 'detached' });
    await press('Call');
    await page.locator('.outcome').first().getByText('simple text').waitFor();
  });
});

describeInBrowser('logins on the page of sigil dev', () => {
  let page: Page;
  const opaque = {
    plain: 'mcp',
    full: 'mcp mcp:conformance:tools:call mcp:conformance:tools:test_simple_text',
  };
  const AUTHORIZATION = JSON.stringify({ resource: 'http://127.0.0.1/mcp', opaque });
  withDevPage(
    async (dev, browser) => {
      page = await openDevPage(browser, dev.url);
    },
    { AUTHORIZATION },
    comesBack,
  );

  test('the developer logs in, and once more with the scopes that a call needs', async () => {
    const activity = page.getByRole('complementary', { name: 'Activity' });
    await page.getByRole('tab', { name: /^Login/ }).click();
    await activity.getByRole('button', { name: 'Log in' }).click();
    await activity.getByRole('button', { name: 'In use' }).waitFor();
    await choose(page, 'test_simple_text');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const needed = 'Log in with mcp:conformance:tools:call mcp:conformance:tools:test_simple_text';
    await page.getByRole('button', { name: needed }).click();
    await page
      .getByRole('combobox', { name: 'Login' })
      .getByText('mcp:conformance:tools:call')
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.locator('.outcome').first().getByText('simple text').waitFor();
    await page.reload();
    await page.getByRole('tab', { name: /^Login/ }).click();
    await activity.getByRole('button', { name: 'In use' }).waitFor();
  }, 90_000);
});
