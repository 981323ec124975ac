import { describe, expect, test } from '@jest/globals';
import {
  type GuardContext,
  type App,
  type AppOptions,
  clientShowsUi,
  defineTool,
  defineUiResource,
  Param,
  Resource,
  Tool,
  ToolContext,
  Ui,
  UiResource,
} from '../../src/index.js';
import { resourceContents } from '../../src/content.js';
import { appOf, clientOf, type Json, openSession, statelessClient } from '../harness.js';

const UI = 'io.modelcontextprotocol/ui';
const MIME_TYPE = 'text/html;profile=mcp-app';
const CSP = { connectDomains: ['https://api.example.com'], resourceDomains: ['https://*.example.com'] };

class Weather {
  @Tool({ metadata: Ui.entry('ui://weather/view.html'), meta: { mine: 1 } })
  forecast(): string {
    return 'sunny';
  }

  @UiResource('ui://weather/view.html', { csp: CSP, prefersBorder: true, title: 'View', meta: { mine: 2 } })
  view(): string {
    return '<!doctype html><p>Weather</p>';
  }
}

const weather = (options: Partial<AppOptions> = {}): Promise<App> =>
  appOf({ services: [Weather], ...options });

async function extensionsOf(app: App): Promise<unknown> {
  const { capabilities } = await statelessClient(app).result('server/discover');
  return (capabilities as Json)['extensions'];
}

describe.each(['2025-06-18', '2025-11-25', '2026-07-28'])('apps for clients of %s', (version) => {
  test('tools say which UI shows their results, also where older hosts look', async () => {
    const [tool] = await (await clientOf(await weather(), version)).list('tools');
    expect(tool?.['_meta']).toEqual({
      mine: 1,
      ui: { resourceUri: 'ui://weather/view.html' },
      'ui/resourceUri': 'ui://weather/view.html',
    });
  });

  test('UI resources say in the list how they are shown', async () => {
    const [resource] = await (await clientOf(await weather(), version)).list('resources');
    expect(resource).toMatchObject({
      uri: 'ui://weather/view.html',
      mimeType: MIME_TYPE,
      _meta: { mine: 2, ui: { csp: CSP, prefersBorder: true } },
    });
  });

  test('the contents of UI resources say it too', async () => {
    const client = await clientOf(await weather(), version);
    const { contents } = await client.result('resources/read', { uri: 'ui://weather/view.html' });
    expect(contents).toEqual([
      {
        uri: 'ui://weather/view.html',
        mimeType: MIME_TYPE,
        text: '<!doctype html><p>Weather</p>',
        _meta: { ui: { csp: CSP, prefersBorder: true } },
      },
    ]);
  });
});

describe('the capability', () => {
  test('is announced to clients with sessions too', async () => {
    const { result } = await initialized(await weather());
    expect(result).toMatchObject({ capabilities: { extensions: { [UI]: {} } } });
  });

  test('is announced to clients of 2026-07-28', async () => {
    expect(await extensionsOf(await weather())).toEqual({ [UI]: {} });
  });

  test('is announced once it is used, and not before', async () => {
    const app = await appOf({ definitions: [defineTool({ name: 'plain', handle: () => 1 })] });
    expect(await extensionsOf(app)).toBeUndefined();
    app.resources.add(view('ui://late'));
    expect(await extensionsOf(app)).toEqual({ [UI]: {} });
    app.resources.remove('ui://late');
    expect(await extensionsOf(app)).toEqual({ [UI]: {} });
  });
});

describe('UI tools and resources', () => {
  test('can be for the UI alone, with a UI of their own or without', async () => {
    const refresh = defineTool({
      name: 'refresh',
      metadata: Ui.entry({ visibility: ['app'] }),
      handle: () => 'done',
    });
    const [tool] = await statelessClient(await appOf({ definitions: [refresh] })).list('tools');
    expect(tool?.['_meta']).toEqual({ ui: { visibility: ['app'] } });
  });

  test('can be served by a template', async () => {
    class Pages {
      @UiResource('ui://pages/{name}', { domain: 'pages.example.com' })
      page(@Param('name') name: string): string {
        return `<h1>${name}</h1>`;
      }

      @Tool({ metadata: Ui.entry('ui://pages/first') })
      first(): string {
        return 'first';
      }
    }
    const client = statelessClient(await appOf({ services: [Pages] }));
    const { contents } = await client.result('resources/read', { uri: 'ui://pages/first' });
    expect(contents).toMatchObject([
      { text: '<h1>first</h1>', mimeType: MIME_TYPE, _meta: { ui: { domain: 'pages.example.com' } } },
    ]);
  });

  test('can be served by a plain resource of that type', async () => {
    class Plain {
      @Resource('ui://plain', { mimeType: MIME_TYPE })
      plain(): string {
        return '<p>plain</p>';
      }

      @Tool({ metadata: Ui.entry('ui://plain') })
      show(): string {
        return 'shown';
      }
    }
    const client = statelessClient(await appOf({ services: [Plain] }));
    const { contents } = await client.result('resources/read', { uri: 'ui://plain' });
    expect((contents as Json[])[0]).not.toHaveProperty('_meta');
  });

  test('have no member about their UI when there is nothing to say', async () => {
    const client = statelessClient(await appOf({ definitions: [view('ui://bare')] }));
    const [resource] = await client.list('resources');
    expect(resource).not.toHaveProperty('_meta');
  });

  test('keep what contents say of themselves, beside other members of theirs', async () => {
    const own = {
      ...resourceContents.text('ui://own', '<p>', MIME_TYPE),
      _meta: { ui: { prefersBorder: false } },
    };
    const other = { ...resourceContents.text('ui://own', '<p>', MIME_TYPE), _meta: { mine: 1 } };
    const resource = defineUiResource({
      name: 'own',
      uri: 'ui://own',
      prefersBorder: true,
      handle: () => [own, other],
    });
    const client = statelessClient(await appOf({ definitions: [resource] }));
    const { contents } = await client.result('resources/read', { uri: 'ui://own' });
    expect((contents as Json[]).map(({ _meta }) => _meta)).toEqual([
      { ui: { prefersBorder: false } },
      { mine: 1, ui: { prefersBorder: true } },
    ]);
  });

  test('are hidden by guards like any other, which see what the UI is', async () => {
    const seen: unknown[] = [];
    const guard = ({ definition }: GuardContext): boolean => {
      seen.push(Ui.of(definition));
      return false;
    };
    const app = await weather({ guards: [guard] });
    expect(await statelessClient(app).list('tools')).toEqual([]);
    expect(seen).toContain('ui://weather/view.html');
  });

  test('can be added to a running app, the resource first', async () => {
    const app = await appOf({});
    app.resources.add(view('ui://late'));
    app.tools.add(defineTool({ name: 'late', metadata: Ui.entry('ui://late'), handle: () => 'late' }));
    const [tool] = await statelessClient(app).list('tools');
    expect(tool?.['_meta']).toMatchObject({ ui: { resourceUri: 'ui://late' } });
  });
});

describe('clientShowsUi', () => {
  class Answers {
    @Tool()
    answer(ctx: ToolContext): boolean {
      return clientShowsUi(ctx.client);
    }
  }

  test.each([
    ['declares the type', { extensions: { [UI]: { mimeTypes: [MIME_TYPE] } } }, 'true'],
    ['declares other types', { extensions: { [UI]: { mimeTypes: ['text/html'] } } }, 'false'],
    ['declares no types', { extensions: { [UI]: {} } }, 'false'],
    ['sends nonsense', { extensions: { [UI]: { mimeTypes: 5 } } }, 'false'],
    ['declares nothing', {}, 'false'],
  ])('tells of a client that %s', async (_what, capabilities, text) => {
    const app = await appOf({ services: [Answers] });
    const session = await openSession(app, '2025-06-18', capabilities);
    for (const client of [statelessClient(app, capabilities), session]) {
      expect(await client.call('answer')).toMatchObject({ content: [{ text }] });
    }
  });
});

function view(uri: string) {
  return defineUiResource({ name: 'view', uri, handle: () => '<p>' });
}

async function initialized(app: App) {
  const client = await openSession(app, '2025-06-18');
  return client.messages[0] ?? {};
}
