import { describe, expect, test } from '@jest/globals';
import {
  defineResource,
  defineTool,
  defineUiResource,
  type FunctionDefinition,
  type ToolUiOptions,
  Ui,
  type UiOptions,
} from '../../src/index.js';
import { appOf, problemsOf } from '../harness.js';

const tool = (ui: unknown, meta = {}): FunctionDefinition =>
  defineTool({ name: 'show', metadata: Ui.entry(ui as ToolUiOptions), meta, handle: () => 1 });
const resource = (options: unknown, uri = 'ui://view', meta = {}): FunctionDefinition =>
  defineUiResource({ name: 'view', uri, meta, ...(options as UiOptions), handle: () => '<p>' });

async function wrong(...definitions: FunctionDefinition[]) {
  const problems = await problemsOf({ definitions });
  return problems.map(({ code, where, what }) => ({ code, where, what }));
}

describe('a tool with a UI', () => {
  test('names a resource that is served', async () => {
    expect(await wrong(tool('ui://none'))).toEqual([
      {
        code: 'SIGIL_UNKNOWN_UI_RESOURCE',
        where: "defineTool('show'), @Ui",
        what: "no definition serves 'ui://none'",
      },
    ]);
  });

  test('names a resource that is served as a UI', async () => {
    const plain = defineResource({ name: 'p', uri: 'ui://view', mimeType: 'text/html', handle: () => '<p>' });
    expect(await wrong(plain, tool('ui://view'))).toMatchObject([
      { code: 'SIGIL_UNKNOWN_UI_RESOURCE', what: "'ui://view' is served as text/html" },
    ]);
  });

  test.each(['https://example.com', 'ui://', '', 5])('names a URI of a UI, not %p', async (uri) => {
    expect(await wrong(tool({ resourceUri: uri }))).toMatchObject([
      { code: 'SIGIL_INVALID_URI', where: "defineTool('show'), @Ui" },
    ]);
  });

  test.each([[[]], [['user']], ['app'], [[undefined]]])(
    'is for the model or the UI, not %p',
    async (visibility) => {
      expect(await wrong(tool({ visibility }))).toMatchObject([{ code: 'SIGIL_INVALID_OPTIONS' }]);
    },
  );

  test.each([{}, null, 5, []])('says something of its UI, not %j', async (ui) => {
    expect(await wrong(tool(ui))).toMatchObject([
      { code: 'SIGIL_INVALID_OPTIONS', what: 'it has neither resourceUri nor visibility' },
    ]);
  });

  test('leaves to the UI what the UI needs', async () => {
    expect(await wrong(tool({ visibility: ['app'], csp: {} }))).toMatchObject([
      { code: 'SIGIL_INVALID_OPTIONS', what: expect.stringContaining("no option 'csp'") },
    ]);
  });

  test.each(['ui', 'ui/resourceUri'])('does not say it a second time in meta, as %s', async (key) => {
    expect(await wrong(resource({}), tool('ui://view', { [key]: 'x' }))).toMatchObject([
      { code: 'SIGIL_INVALID_OPTIONS', where: "defineTool('show'), meta" },
    ]);
  });

  test('is refused by a running app that does not serve its UI, and leaves nothing behind', async () => {
    const app = await appOf({});
    expect(() => app.tools.add(tool('ui://none') as never)).toThrow('SIGIL_UNKNOWN_UI_RESOURCE');
    expect(app.tools.keys()).toEqual([]);
  });
});

describe('a UI resource', () => {
  test('has the URI of one', async () => {
    expect(await wrong(resource({}, 'https://example.com/view'))).toMatchObject([
      { code: 'SIGIL_INVALID_URI' },
    ]);
  });

  test.each([
    'example.com',
    'https://example.com/path',
    'https://example.com; script-src *',
    'https://a.com https://b.com',
    "'unsafe-inline'",
    '*',
    'https://*',
    'javascript://x',
    'https://user@example.com',
    '',
    5,
  ])('reaches origins, not %p', async (domain) => {
    expect(await wrong(resource({ csp: { connectDomains: [domain] } }))).toMatchObject([
      { code: 'SIGIL_INVALID_OPTIONS', what: expect.stringContaining('csp.connectDomains') },
    ]);
  });

  test.each([
    'https://example.com',
    'https://*.example.com',
    'wss://live.example.com:8443',
    'http://localhost:3000',
    'http://[::1]:3000',
  ])('may reach %s', async (domain) => {
    const domains = [domain];
    const csp = {
      connectDomains: domains,
      resourceDomains: domains,
      frameDomains: domains,
      baseUriDomains: domains,
    };
    await expect(appOf({ definitions: [resource({ csp })] })).resolves.toBeDefined();
  });

  test.each([
    { csp: { scriptDomains: [] } },
    { csp: { connectDomains: 'https://example.com' } },
    { csp: 'none' },
    { permissions: { usb: {} } },
    { permissions: { camera: true } },
    { permissions: ['camera'] },
    { domain: '' },
    { prefersBorder: 'yes' },
  ])('is told only what there is: not %j', async (options) => {
    expect(await wrong(resource(options))).toMatchObject([{ code: 'SIGIL_INVALID_OPTIONS' }]);
  });

  test('does not say it a second time in meta', async () => {
    expect(await wrong(resource({}, 'ui://view', { ui: {} }))).toMatchObject([
      { code: 'SIGIL_INVALID_OPTIONS', where: expect.stringContaining('meta') },
    ]);
  });
});
