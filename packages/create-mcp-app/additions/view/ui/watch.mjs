// What `npm run dev` compiles with, at every change: tsc for the server, Vite for the view, and tsc for its types.
import { spawn } from 'node:child_process';
import { relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

spawn('tsc --watch --preserveWatchOutput', { stdio: 'inherit', shell: true }).on('exit', (code) =>
  process.exit(code ?? 1),
);

// `sigil dev` reads lines as tsc writes them, and tells compilers apart by a name before each line.
const write = (name, text) => console.log(text.replace(/^/gm, `[${name}] `));

const types = spawn('tsc -p ui --watch --preserveWatchOutput', { shell: true });
for (const output of [types.stdout, types.stderr])
  createInterface(output).on('line', (line) => line && write('types', line));

const root = fileURLToPath(new URL('.', import.meta.url));
const view = await build({ root, logLevel: 'silent', build: { watch: {} } });
let hasFailed = false;
view.on('event', ({ code, error }) => {
  if (code === 'START') {
    hasFailed = false;
    write('view', 'Starting compilation');
  } else if (code === 'ERROR') {
    hasFailed = true;
    const { errors = [error] } = error;
    for (const { id, message } of errors)
      write('view', `${id ? relative('.', id) : 'ui'}: error: ${message}`);
    write(
      'view',
      `Found ${errors.length} error${errors.length === 1 ? '' : 's'}. Watching for file changes.`,
    );
  } else if (code === 'END' && !hasFailed) write('view', 'Found 0 errors. Watching for file changes.');
});
