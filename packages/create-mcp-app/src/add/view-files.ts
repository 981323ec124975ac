import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { UiName } from '../additions.js';
import { Failure } from '../failures.js';
import { readAddition } from '../templates.js';
import type { ProjectFiles } from '../write-project.js';
import type { AddedFiles } from './added-files.js';
import type { AddedNames } from './added-names.js';
import type { Project } from './project.js';

/** Files that the build of each view needs. */
const SHARED = ['ui/build.mjs', 'ui/style.css'] as const;

/** The framework of a view. */
type Framework = Exclude<UiName, 'none'>;

/**
 * Returns the files of a view: a page, a tool whose result the page shows, and a test. The page uses the
 * framework of the project's other views.
 *
 * @throws Failure `NO_VIEWS` if the project cannot build views.
 */
export async function viewFiles(names: AddedNames, project: Project): Promise<AddedFiles> {
  const missing = SHARED.find((path) => !existsSync(join(project.folder, path)));
  const framework = frameworkOf(project);
  if (missing !== undefined)
    throw new Failure(
      'NO_VIEWS',
      `views need ${missing}: create another project with --ui ${framework}, and copy its folder ui (without ui/dice), scripts and packages into this project`,
    );
  const { kebab, className, served } = names;
  const module = `tools/show-${kebab}`;
  return {
    className: `Show${className}`,
    module,
    files: new Map([
      [`src/${module}.ts`, toolText(names)],
      [`src/dto/${kebab}-result.ts`, resultText(names)],
      [`test/${module}.test.ts`, testText(names)],
      ...(await pageFiles(names, framework)),
    ]),
    toSeeIt: `To see ui/${kebab}: run the script dev, press o, and call show_${served} in the page that opens`,
  };
}

function frameworkOf({ packages }: Project): Framework {
  return packages.has('react') ? 'react' : packages.has('svelte') ? 'svelte' : 'vanilla';
}

/** Returns the files of the page. Files that do not depend on the tool are copied from the view `dice`. */
async function pageFiles(names: AddedNames, framework: Framework): Promise<ProjectFiles> {
  const { kebab } = names;
  const [shared, own] = await Promise.all([readAddition('view'), readAddition(`view-${framework}`)]);
  const dice = (path: string): string => String(own.get(path) ?? shared.get(path));
  const index = dice('ui/dice/index.html')
    .replace('<title>Dice<', `<title>${titleOf(names)}<`)
    .replace(/.*"\.\/style\.css".*\n/, '');
  const program: Readonly<Record<Framework, Readonly<Record<string, string>>>> = {
    vanilla: { 'main.ts': vanillaText() },
    react: { 'main.tsx': dice('ui/dice/main.tsx'), 'app.tsx': reactText(names) },
    svelte: { 'main.ts': dice('ui/dice/main.ts'), 'app.svelte': svelteText(names) },
  };
  const files = { 'index.html': index, 'view.ts': connectText(names), ...program[framework] };
  return new Map(Object.entries(files).map(([file, text]) => [`ui/${kebab}/${file}`, text]));
}

/** Returns a name in the form of a title, such as `Get weather`. */
function titleOf({ kebab }: AddedNames): string {
  return `${kebab.charAt(0).toUpperCase()}${kebab.slice(1).replaceAll('-', ' ')}`;
}

/** Returns the text of a tool that returns its argument, and of the resource for its page. */
function toolText(names: AddedNames): string {
  const { kebab, className, method } = names;
  return `import { readFile } from 'node:fs/promises';
import { Arg, Service, Tool, Ui, UiResource } from '@sigil/core';
import { ${className}Result } from '../dto/${kebab}-result.js';

const VIEW = 'ui://${kebab}/view.html';

@Service()
export class Show${className} {
  // Models read the descriptions to decide when to call a tool, and with which arguments.
  @Tool({
    description: 'Shows a text to the user',
    readOnly: true,
    openWorld: false,
    output: ${className}Result,
  })
  @Ui(VIEW)
  show${className}(@Arg('text', { description: 'What to show' }) text: string): ${className}Result {
    return { text };
  }

  @UiResource(VIEW, { title: '${titleOf(names)}', description: 'Shows a text', prefersBorder: true })
  ${method}View(): Promise<string> {
    // Vite builds this file from ui/${kebab}/index.html.
    return readFile(new URL('../../dist/ui/${kebab}/index.html', import.meta.url), 'utf8');
  }
}
`;
}

/**
 * Returns the text of the class for the result. It has a separate file, because the page imports its type.
 */
function resultText({ className }: AddedNames): string {
  return `import { Describe } from '@sigil/core';
import { IsString } from 'class-validator';

export class ${className}Result {
  @Describe('What to show')
  @IsString()
  text!: string;
}
`;
}

function testText({ kebab, className, served }: AddedNames): string {
  return `import { expect, test } from '@jest/globals';
import { testApp, textOf } from '@sigil/testing';
import { Show${className} } from '../../src/tools/show-${kebab}.js';

test('show_${served} shows a text', async () => {
  await using server = await testApp({ services: [Show${className}] });

  const { structuredContent } = await server.client.callTool('show_${served}', { text: 'Hello' });

  expect(structuredContent).toEqual({ text: 'Hello' });
});

test('the view of show_${served} is one file, which loads nothing', async () => {
  await using server = await testApp({ services: [Show${className}] });

  const result = await server.client.readResource('ui://${kebab}/view.html');

  expect(textOf(result)).toContain('<script');
  // Vite writes each tag at the start of a line. Text within the script can look like a tag.
  expect(textOf(result)).not.toMatch(/^\\s*<(script|link)[^>]* (src|href)=/m);
});
`;
}

function connectText({ kebab, className, served }: AddedNames): string {
  return `import { applyStyles, connect, type View } from '@sigil/ui';
import type { ${className}Result } from '../../src/dto/${kebab}-result.js';

/** The tools that the view uses. DTO classes are imported only as types, so their code is not in the page. */
export interface Tools {
  show_${served}: { input: { text: string }; output: ${className}Result };
}

/** The view that shows the results of \`show_${served}\`. */
export type ${className}View = View<Tools, 'show_${served}'>;

/** Connects to the host that shows the page, and applies the host's colors and fonts. */
export async function connectView(): Promise<${className}View> {
  const view = await connect<Tools, 'show_${served}'>({ name: '${kebab}', version: '0.1.0' });
  view.onContext(applyStyles);
  return view;
}
`;
}

function vanillaText(): string {
  return `import { textOf } from '@sigil/ui';
import { connectView } from './view.js';

const app = document.querySelector('#app')!;

try {
  const view = await connectView();
  view.onResult((result) => {
    if (result.isError) show('alert', textOf(result));
    else show('status', result.structuredContent.text);
  });
} catch (error) {
  show('alert', String(error));
}

function show(role: string, text: string): void {
  app.replaceChildren(Object.assign(document.createElement('p'), { role, textContent: text }));
}
`;
}

function reactText({ kebab, className }: AddedNames): string {
  return `import { textOf, type ToolResult } from '@sigil/ui';
import { useEffect, useState } from 'react';
import type { ${className}Result } from '../../src/dto/${kebab}-result.js';
import type { ${className}View } from './view.js';

export function App({ view }: { readonly view: ${className}View }) {
  const [result, setResult] = useState<ToolResult<${className}Result>>();

  useEffect(() => view.onResult(setResult), [view]);

  if (!result) return null;
  if (result.isError) return <p role="alert">{textOf(result)}</p>;
  return <p role="status">{result.structuredContent.text}</p>;
}
`;
}

function svelteText({ kebab, className }: AddedNames): string {
  return `<script lang="ts">
  import { textOf, type ToolResult } from '@sigil/ui';
  import type { ${className}Result } from '../../src/dto/${kebab}-result.js';
  import type { ${className}View } from './view.js';

  const { view }: { view: ${className}View } = $props();

  let result = $state.raw<ToolResult<${className}Result>>();

  $effect(() => view.onResult((latest) => (result = latest)));
</script>

{#if result?.isError}
  <p role="alert">{textOf(result)}</p>
{:else if result}
  <p role="status">{result.structuredContent.text}</p>
{/if}
`;
}
