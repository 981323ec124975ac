import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { spec } from '../../packages/cli/test/page/json-schemas.js';
import { choose, describeInBrowser, startBrowser } from './dev-page.js';
import { PageProject } from './page-project.js';
import { endProcesses } from './processes.js';

const LONG_MS = 60_000;
const RANDOM_SCHEMAS = 200;

const text = { type: 'string' };
const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** Schemas that are filled by hand. */
const SCHEMAS: Readonly<Record<string, object>> = {
  a_union: object(
    {
      payment: {
        oneOf: [
          object({ kind: { const: 'card' }, number: text }, ['kind', 'number']),
          object({ kind: { const: 'invoice' }, days: { type: 'integer' } }, ['kind', 'days']),
        ],
      },
    },
    ['payment'],
  ),
  a_map: object({ stock: { type: 'object', additionalProperties: { type: 'integer' } } }, ['stock']),
  a_file: object({ image: { ...text, contentEncoding: 'base64' } }, ['image']),
  a_tree: {
    ...object({ root: { $ref: '#/$defs/node' } }, ['root']),
    $defs: {
      node: object({ label: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } }, ['label']),
    },
  },
  several: object({ sizes: { type: 'array', uniqueItems: true, items: { enum: ['S', 'M', 'L'] } } }),
  nullable: object({ note: { type: ['string', 'null'] } }, ['note']),
  no_choice: object({ one: { enum: ['only'] } }, ['one']),
  many_choices: object({ of: { enum: Array.from({ length: 2_000 }, (_, at) => `choice ${at}`) } }, ['of']),
};

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const random = fc.sample(
  spec
    // Servers refuse this name.
    .filter(({ schema }) => !JSON.stringify(schema).includes('__proto__'))
    .chain(({ schema, values }) => values.map((value) => ({ schema, value })))
    // A value of one way of `oneOf` may fit another way too.
    .filter(({ schema, value }) => ajv.validate(schema, value)),
  { numRuns: RANDOM_SCHEMAS, seed: 20_261_126 },
);

/** A server whose tools return their arguments. */
const PROGRAM = `import { readFileSync } from 'node:fs';
import { createApp, defineTool } from '@sigil/core';
const tools = JSON.parse(readFileSync(new URL('../tools.json', import.meta.url), 'utf8'));
const definitions = tools.map(([name, input]: [string, Record<string, unknown>]) =>
  defineTool({ name, input, handle: (given) => JSON.stringify(given) }),
);
const app = await createApp({ name: 'dev', version: '1.0.0', definitions });
await app.run();
`;

describeInBrowser('forms of schemas on the page of sigil dev', () => {
  let browser: Browser;
  let dev: PageProject;
  let page: Page;
  const errors: string[] = [];
  beforeAll(async () => {
    const tools = [
      ...Object.entries(SCHEMAS),
      ...random.map(({ schema }, at) => [`random_${at}`, object({ value: schema }, ['value'])] as const),
    ];
    [dev, browser] = await Promise.all([
      PageProject.start(PROGRAM, { 'tools.json': JSON.stringify(tools) }),
      startBrowser(),
    ]);
    page = await browser.newPage();
    page.setDefaultTimeout(LONG_MS);
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(dev.url.href);
    await choose(page, 'a_union');
  }, 2 * LONG_MS);
  afterAll(async () => {
    await browser?.close();
    await dev?.close();
    await endProcesses();
  });

  const main = () => page.getByRole('main');
  const field = (name: string, place = 0) => main().getByRole('textbox', { name, exact: true }).nth(place);
  const press = (name: string) => main().getByRole('button', { name, exact: true }).first().click();
  /** Calls the tool. @returns the arguments that its handler got. */
  const called = async (): Promise<unknown> => {
    const answer = page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().endsWith('/mcp'),
    );
    await press('Call');
    expect(await main().locator('form .problem').allInnerTexts()).toEqual([]);
    const body = await (await answer).text();
    const [, data = body] = /^data: (\{.*"result".*)$/m.exec(body) ?? [];
    const { result } = JSON.parse(data) as { result: { content: [{ text: string }]; isError?: boolean } };
    expect(result).not.toHaveProperty('isError', true);
    return JSON.parse(result.content[0].text);
  };

  test('a union shows the fields of the chosen way', async () => {
    await choose(page, 'a_union');
    await main().getByLabel('payment').first().selectOption({ label: 'kind: invoice' });
    await field('days').fill('30');
    expect(await called()).toEqual({ payment: { kind: 'invoice', days: 30 } });
    await main().getByLabel('payment').first().selectOption({ label: 'kind: card' });
    await field('number').fill('4111');
    expect(await called()).toEqual({ payment: { kind: 'card', number: '4111' } });
  });

  test('a map takes names and values', async () => {
    await choose(page, 'a_map');
    await press('Add a property');
    await field('Name of property 1').fill('tea');
    await field('tea').fill('3');
    await press('Add a property');
    await field('Name of property 2').fill('cup');
    await field('cup').fill('0');
    expect(await called()).toEqual({ stock: { tea: 3, cup: 0 } });
    await press('Remove property tea');
    expect(await called()).toEqual({ stock: { cup: 0 } });
  });

  test('a file is sent as base64', async () => {
    await choose(page, 'a_file');
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    const file = { name: 'dot.png', mimeType: 'image/png', buffer: bytes };
    await main().locator('input[type=file]').setInputFiles(file);
    await main().getByText('dot.png').waitFor();
    expect(await called()).toEqual({ image: bytes.toString('base64') });
  });

  test('a recursive schema grows as it is filled', async () => {
    await choose(page, 'a_tree');
    await field('label').fill('root');
    await press('Add children');
    await field('label', 1).fill('leaf');
    await press('Add children');
    await field('label', 2).fill('deep');
    expect(await called()).toEqual({
      root: { label: 'root', children: [{ label: 'leaf', children: [{ label: 'deep' }] }] },
    });
  });

  test('several values, null, one choice and thousands of choices are chosen', async () => {
    await choose(page, 'several');
    await main().getByRole('checkbox', { name: 'L' }).check();
    await main().getByRole('checkbox', { name: 'S' }).check();
    expect(await called()).toEqual({ sizes: expect.arrayContaining(['S', 'L']) });
    await choose(page, 'nullable');
    await main().getByLabel('note').first().selectOption({ label: 'null' });
    expect(await called()).toEqual({ note: null });
    await choose(page, 'no_choice');
    await main().getByLabel('one').selectOption('only');
    expect(await called()).toEqual({ one: 'only' });
    await choose(page, 'many_choices');
    await main().getByRole('combobox', { name: 'of' }).selectOption({ label: 'choice 1999' });
    expect(await called()).toEqual({ of: 'choice 1999' });
  });

  test(`forms of ${RANDOM_SCHEMAS} random schemas send what they are filled with`, async () => {
    const json = page.getByRole('textbox', { name: 'Arguments as JSON' });
    for (const [at, { value }] of random.entries()) {
      await choose(page, `random_${at}`);
      await page.getByRole('form', { name: `Arguments of random_${at}` }).waitFor();
      await press('JSON');
      await json.fill(JSON.stringify({ value }));
      await press('JSON');
      expect(await main().locator('form .members').count()).toBeGreaterThan(0);
      expect([at, await called()]).toEqual([at, JSON.parse(JSON.stringify({ value }))]);
    }
    expect(errors).toEqual([]);
  }, 300_000);
});
