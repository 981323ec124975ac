import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { choose, describeInBrowser, openDevPage, withDevPage } from './dev-page.js';
import { until } from './processes.js';

describeInBrowser('questions and tasks on the page of sigil dev', () => {
  let page: Page;
  withDevPage(async (dev, browser) => {
    page = await openDevPage(browser, dev.url);
  });

  const dialog = (): Locator => page.getByRole('dialog');
  const outcome = (): Locator => page.locator('.outcome').first();
  const answer = (name: string): Promise<void> => dialog().getByRole('button', { name, exact: true }).click();
  const fill = (name: string, text: string): Promise<void> =>
    dialog().getByRole('textbox', { name, exact: true }).fill(text);
  const call = async (name: string, args: Readonly<Record<string, string>> = {}): Promise<void> => {
    await choose(page, name);
    for (const [key, value] of Object.entries(args))
      await page.getByRole('main').getByRole('textbox', { name: key, exact: true }).fill(value);
    await page.getByRole('button', { name: 'Call', exact: true }).click();
  };

  test.each(['2025-11-25', '2026-07-28'])(
    'a form of %s is filled, accepted, declined and cancelled',
    async (revision) => {
      await page.getByText(revision, { exact: true }).first().click();
      await call('test_elicitation', { message: 'Who is it?' });
      await dialog().getByText('Who is it?').waitFor();
      await dialog().getByText(revision).waitFor();
      await fill('username', 'ada');
      await fill('email', 'ada@example.org');
      await answer('Accept');
      await outcome()
        .getByText('action=accept, content={"username":"ada","email":"ada@example.org"}')
        .waitFor();
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await answer('Decline');
      await outcome().getByText('action=decline').waitFor();
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await dialog().waitFor();
      await page.keyboard.press('Escape');
      await outcome().getByText('action=cancel').waitFor();
    },
  );

  test('a form comes with its defaults', async () => {
    await call('test_elicitation_sep1034_defaults');
    await answer('Accept');
    await outcome()
      .getByText('"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true')
      .waitFor();
  });

  test('the address of a page is shown before it is opened, by a click alone', async () => {
    await call('open_page', { url: 'https://example.org/pay?id=1' });
    await dialog().getByText('https://example.org/pay?id=1').waitFor();
    await dialog().getByText('example.org', { exact: true }).waitFor();
    expect(page.context().pages()).toHaveLength(1);
    await page.context().route('https://example.org/**', (route) => route.fulfill({ body: 'paid' }));
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      answer('Open example.org and accept'),
    ]);
    expect(opened.url()).toBe('https://example.org/pay?id=1');
    // A page in the background is slow.
    await opened.close();
    await outcome().getByText('The user chose to accept').waitFor();
  });

  test('the developer answers as the model, and shares roots', async () => {
    await call('test_sampling', { prompt: 'Capital of France?' });
    await dialog().getByText('Capital of France?').waitFor();
    await fill('Your answer, as the model', 'Paris');
    await answer('Answer');
    await outcome().getByText('LLM response: Paris').waitFor();
    await call('list_client_roots');
    await fill('uri', 'file:///elsewhere');
    await answer('Share');
    await outcome().getByText('file:///elsewhere').waitFor();
    await call('test_sampling', { prompt: 'Again?' });
    await answer('Refuse');
    await page.getByText('The call was cancelled.').waitFor();
  });

  test('questions that come at the same time are answered one after the other', async () => {
    await call('test_input_required_result_multiple_inputs');
    await dialog().getByText('2 more questions wait').waitFor();
    await fill('name', 'Ada');
    await answer('Accept');
    await fill('Your answer, as the model', 'Hello');
    await answer('Answer');
    await answer('Share');
    await outcome().getByText('Hello Ada, you share 1 roots').waitFor();
  });

  test('a task asks while it runs, and its result is that of the call', async () => {
    await call('confirm_delete', { filename: 'a.txt' });
    await dialog().getByText('Delete a.txt?').waitFor();
    await dialog().getByRole('checkbox', { name: 'confirm' }).check();
    await answer('Accept');
    await outcome().getByText('Deleted a.txt').waitFor();
    await page.getByRole('region', { name: 'Tasks' }).getByText('completed').waitFor();
  });

  const revision = (name: string) => page.getByRole('radio', { name, exact: true });
  const reloaded = 'The page was loaded again, which has cancelled the call: send it again.';

  test('an open question, and the chosen revision, are still there when the page is loaded again', async () => {
    await page.getByText('both', { exact: true }).click();
    await choose(page, 'test_elicitation');
    await page.getByRole('textbox', { name: 'message', exact: true }).fill('Who is it?');
    await page.getByRole('button', { name: 'Call in both' }).click();
    await dialog().getByText('1 more question waits').waitFor();
    await page.reload();
    await dialog().getByText('Asked by test_elicitation, 2026-07-28').waitFor();
    await page.getByRole('article', { name: 'test_elicitation, 2025-11-25' }).getByText(reloaded).waitFor();
    expect(await dialog().getByText('more question').count()).toBe(0);
    expect(await revision('both').isChecked()).toBe(true);
    await answer('Decline');
    await outcome().getByText('action=decline').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Call in both' }).waitFor();
    expect(await dialog().count()).toBe(0);
  });

  test.each(['2025-11-25', '2026-07-28'])(
    'a call of %s that runs is cancelled when the page is loaded again, and says so',
    async (name) => {
      await page.getByText(name, { exact: true }).first().click();
      await call('wait_until_cancelled', { label: `reload ${name}` });
      await page.getByRole('status').filter({ hasText: 'running' }).waitFor();
      const state = async (): Promise<boolean> => {
        await call('state_of_wait', { label: `reload ${name}` });
        await outcome().waitFor();
        return (await outcome().getByText('waiting').count()) > 0;
      };
      await until(state);
      await page.reload();
      expect(await revision(name).isChecked()).toBe(true);
      await choose(page, 'wait_until_cancelled');
      await page.getByText(reloaded).waitFor();
      await until(async () => !(await state()));
    },
  );

  test('a task goes on when the page is loaded again, and asks once more', async () => {
    await call('confirm_delete', { filename: 'c.txt' });
    await dialog().getByText('Delete c.txt?').waitFor();
    await page.reload();
    await dialog().getByText('Delete c.txt?').waitFor();
    await dialog().getByRole('checkbox', { name: 'confirm' }).check();
    await answer('Accept');
    await outcome().getByText('Deleted c.txt').waitFor();
    const tasks = page.getByRole('region', { name: 'Tasks' });
    await tasks.getByRole('button').last().click();
    await page.reload();
    await page.getByText('task completed').waitFor();
    await outcome().getByText('Deleted c.txt').waitFor();
  });

  test('a task is cancelled, and one that fails says why', async () => {
    await call('slow_compute', { seconds: '300' });
    await page.getByRole('button', { name: 'Cancel the task' }).click();
    await page.getByRole('status').filter({ hasText: 'task cancelled' }).waitFor();
    await call('failing_job');
    await page.getByText('The job has failed, as it always does').waitFor();
    await call('protocol_error_job');
    await page.getByText('The job broke down (-32603)').waitFor();
    await page.getByRole('button', { name: 'Show the output' }).click();
    await page.getByRole('tab', { name: 'Output', selected: true }).waitFor();
  });
});
