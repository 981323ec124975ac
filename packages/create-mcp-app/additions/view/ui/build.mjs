// Builds one HTML file from each folder of ui/ that contains an index.html: ui/dice becomes dist/ui/dice/index.html.
// With --watch (for `npm run dev`), it rebuilds at each change, compiles the server, and checks the types of the views.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync, watch } from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));
const pageOf = (view) => join(root, view, 'index.html');
const findViews = () => readdirSync(root).filter((name) => existsSync(pageOf(name)));

// Each view is a separate build, because Vite inlines scripts and styles only if a build has one page.
const buildView = (view, logLevel, watcher) =>
  build({
    root,
    logLevel,
    publicDir: false,
    build: { watch: watcher, rolldownOptions: { input: pageOf(view) } },
  });

// `sigil dev` reads lines in the format of tsc. The name at the start of a line identifies the compiler.
const write = (name, text) => console.log(text.replace(/^/gm, `[${name}] `));

function report(view, problems) {
  write(`view-${view}`, 'Starting compilation');
  for (const { id, message } of problems)
    write(`view-${view}`, `${id ? relative('.', id) : 'ui'}: error: ${message}`);
  const count = `${problems.length} error${problems.length === 1 ? '' : 's'}`;
  write(`view-${view}`, `Found ${count}. Watching for file changes.`);
}

async function watchView(view) {
  try {
    const running = await buildView(view, 'silent', {});
    let problems = [];
    running.on('event', ({ code, error }) => {
      if (code === 'START') {
        problems = [];
        write(`view-${view}`, 'Starting compilation');
      } else if (code === 'ERROR') problems = error.errors ?? [error];
      else if (code === 'END') report(view, problems);
    });
    return running;
  } catch (error) {
    // For example, vite.config.mjs throws an error.
    report(view, [error]);
  }
}

const watched = { state: '', views: [], builds: [] };

/** Restarts the builds if a view was added or removed, or if the Vite configuration has changed. */
async function watchViews() {
  const views = findViews();
  const settings = readdirSync(root).filter((name) => name.startsWith('vite.config.'));
  const times = settings.map((name) => statSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs);
  const state = String([...views, ...settings, ...times]);
  if (state === watched.state) return;
  await Promise.all(watched.builds.map((running) => running?.close()));
  for (const view of watched.views) if (!views.includes(view)) report(view, []);
  Object.assign(watched, { state, views, builds: await Promise.all(views.map(watchView)) });
}

if (process.argv.includes('--watch')) {
  const server = spawn('tsc --watch --preserveWatchOutput', { stdio: 'inherit', shell: true });
  server.on('exit', (code) => process.exit(code ?? 1));

  const types = spawn('tsc -p ui --watch --preserveWatchOutput', { shell: true });
  for (const output of [types.stdout, types.stderr])
    createInterface(output).on('line', (line) => line && write('types', line));

  let done = watchViews();
  watch(root, { recursive: true }, () => (done = done.then(watchViews)));
} else {
  for (const view of findViews()) {
    await buildView(view, 'warn');
    console.log(`Built dist/ui/${view}/index.html`);
  }
}
