// What `npm run dev` compiles with: tsc for the server and Vite for the view, both at every change.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

spawn('tsc --watch --preserveWatchOutput', { stdio: 'inherit', shell: true }).on('exit', (code) =>
  process.exit(code ?? 1),
);
await build({ root: fileURLToPath(new URL('.', import.meta.url)), logLevel: 'warn', build: { watch: {} } });
