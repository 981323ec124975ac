import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { DefaultTheme } from 'vitepress';
import { ROOT } from './place.js';

type Item = DefaultTheme.SidebarItem;

/** True of a page that typedoc writes. */
export const isApi = (page: string): boolean => page.startsWith('reference/api/');

/** A page in the sidebar, by its title. @param path below `docs`, without `.md`. */
function page(path: string, text = titleOf(path)): Item {
  return { text, link: `/${path}` };
}

function titleOf(path: string): string {
  const text = readFileSync(`${ROOT}docs/${path}.md`, 'utf8');
  const title = /^title: '?(.*?)'?$/m.exec(text)?.[1] ?? /^# (.*)$/m.exec(text)?.[1] ?? path;
  return title.replaceAll('`', '');
}

/** The pages of a folder, those with an `order` in their frontmatter first. */
function folder(name: string): Item[] {
  if (!existsSync(`${ROOT}docs/${name}`)) return [];
  const orderOf = (path: string): number =>
    Number(/^order: (\d+)$/m.exec(readFileSync(`${ROOT}docs/${path}.md`, 'utf8'))?.[1] ?? 100);
  return readdirSync(`${ROOT}docs/${name}`)
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => `${name}/${file.slice(0, -3)}`)
    .sort((one, other) => orderOf(one) - orderOf(other) || one.localeCompare(other))
    .map((path) => page(path));
}

function group(text: string, items: Item[]): Item[] {
  return items.length === 0 ? [] : [{ text, items }];
}

const guide = (...names: string[]): Item[] => names.map((name) => page(`guide/${name}`));

const API = `${ROOT}docs/reference/api/typedoc-sidebar.json`;
/** The modules of the API alone: every page carries all sidebars. */
const api = (): Item[] =>
  existsSync(API)
    ? (JSON.parse(readFileSync(API, 'utf8')) as Item[]).map(({ text = '', link = '' }) => ({ text, link }))
    : [];

const GUIDE: Item[] = [
  ...group(
    'Learn',
    guide(
      'first-ten-minutes',
      'tour',
      'existing-project',
      'dev',
      'handlers',
      'services-and-providers',
      'modules',
      'guards-and-middleware',
      'errors',
      'asking-the-user',
      'tasks',
      'views',
      'testing',
      'nest',
      'extensions',
      'requests-by-hand',
      'bundling',
      'building',
    ),
  ),
  ...group('Recipes', folder('recipes')),
  ...group('Coming from', folder('coming-from')),
  ...group(
    'Operating',
    guide(
      'deployment',
      'kubernetes',
      'scaling',
      'executors',
      'logging',
      'telemetry',
      'limits',
      'audit',
      'operations',
    ),
  ),
  ...group('Security', guide('security', 'authorization', 'authorization-servers', 'browsers-and-proxies')),
  ...group('Reference', [
    ...['cli', 'create-mcp-app', 'schemas', 'dialect', 'packages', 'errors'].map((name) => page(name)),
    { text: 'API', link: '/reference/api/' },
  ]),
  ...group('More', [page('guide/who-can-connect'), page('changelog')]),
];

const PACKAGES: Item[] = [
  ...group('Packages', [page('packages', 'All packages'), ...folder('packages')]),
  ...group('API', api()),
];

const isDefinitionCode = ({ text = '' }: Item): boolean => text.startsWith('SIGIL_');
const CODES = folder('errors');
const ERRORS: Item[] = [
  ...group('Errors', [page('errors', 'All errors'), ...guide('errors')]),
  ...group('When a program starts', CODES.filter(isDefinitionCode)),
  ...group(
    'When a request is answered',
    CODES.filter((item) => !isDefinitionCode(item)),
  ),
];

/** By the path of a page. Groups that open and close are not for everybody: VitePress puts a button into a button. */
export const SIDEBAR: DefaultTheme.SidebarMulti = {
  '/errors': ERRORS,
  '/packages': PACKAGES,
  '/reference/': PACKAGES,
  '/': GUIDE,
};

/** Every group, for agents. */
export const ALL_GROUPS: Item[] = [...GUIDE, ...PACKAGES, ...ERRORS];
