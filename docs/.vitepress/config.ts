import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import llmstxt from 'vitepress-plugin-llms';
import { linksOfRepository, slugOf } from './links.js';
import { ALL_GROUPS, isApi, SIDEBAR } from './sidebar.js';
import { linkTwins } from './twins.js';
import { BASE, HOMEPAGE, REPOSITORY, ROOT } from './place.js';

export default defineConfig({
  title: 'Sigil',
  titleTemplate: ':title · Sigil',
  description: 'A framework for servers of the Model Context Protocol in TypeScript',
  lang: 'en',
  base: BASE,
  cleanUrls: false,
  outDir: '../node_modules/.cache/site',
  cacheDir: '../node_modules/.cache/vitepress',
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { capnp: 'proto' },
    anchor: { slugify: slugOf },
    config: linksOfRepository,
  },
  transformPageData(page) {
    // The pages of errors begin with their meaning, which search engines show.
    if (!page.relativePath.startsWith('errors/')) return;
    const [, meaning] = readFileSync(`${ROOT}docs/${page.relativePath}`, 'utf8').split('\n\n');
    return { description: meaning };
  },
  buildEnd: ({ outDir }) => linkTwins(outDir),
  sitemap: { hostname: HOMEPAGE },
  themeConfig: {
    outline: [2, 3],
    sidebar: SIDEBAR,
    nav: [
      { text: 'Learn', link: '/guide/first-ten-minutes' },
      { text: 'Packages', link: '/packages' },
      { text: 'API', link: '/reference/api/' },
      { text: 'Errors', link: '/errors' },
    ],
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    search: {
      provider: 'local',
      options: {
        // Of the API only the names: its texts would hide the guide, and take most of the time of a build.
        _render: (text, env, md) => {
          const html = md.render(isApi(env.relativePath) ? (/^# .*$/m.exec(text)?.[0] ?? '') : text, env);
          return env.frontmatter?.['search'] === false ? '' : html;
        },
        miniSearch: {
          searchOptions: {
            boostDocument: (id: string) => (id.includes('/reference/api/') ? 0.2 : 1),
          },
        },
      },
    },
  },
  vite: {
    plugins: [
      llmstxt({
        sidebar: ALL_GROUPS,
        // Agents find the API by its modules.
        ignoreFilesPerOutput: { llmsTxt: ['reference/api/@sigil/*/*/**'], llmsFullTxt: ['reference/api/**'] },
        injectLLMHint: false,
      }),
    ],
    build: { chunkSizeWarningLimit: 4_000 },
  },
});
