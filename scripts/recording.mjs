/**
 * Records what the server of the first page answers in a terminal, into docs/screens/home.txt. With `--check` it writes nothing, and
 * fails when a run prints anything else than the file has.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../', import.meta.url));
const file = `${root}docs/screens/home.txt`;
const COMMANDS = ['list', 'call add a=19 b=23', 'call add a=19 b=many'];

const page = await readFile(`${root}docs/index.md`, 'utf8');
const source = /^```ts\n(\/\/ main\.ts\n[\s\S]*?)^```$/m.exec(page)?.[1];
// Inside the checkout, so that imports resolve as they do for anybody who installed the packages.
await mkdir(`${root}node_modules/.cache`, { recursive: true });
const folder = await mkdtemp(`${root}node_modules/.cache/recording-`);
try {
  await writeFile(`${folder}/package.json`, '{ "type": "module" }');
  await writeFile(`${folder}/main.ts`, source);
  const flags =
    '--target es2023 --module nodenext --experimentalDecorators --emitDecoratorMetadata --types node --outDir dist';
  const tsc = `${root}node_modules/@typescript/native/bin/tsc`;
  await run(process.execPath, [tsc, ...flags.split(' '), 'main.ts', '--ignoreConfig'], { cwd: folder });
  const printed = [];
  for (const command of COMMANDS) {
    const args = [`${root}packages/cli/bin/sigil.mjs`, ...command.split(' ')];
    const done = await run(process.execPath, args, { cwd: folder }).catch((error) => error);
    printed.push(`$ npx sigil ${command}\n${done.stdout}${done.stderr}`);
  }
  const text = `${printed.join('\n').trimEnd()}\n`;
  if (!process.argv.includes('--check')) await writeFile(file, text);
  else if ((await readFile(file, 'utf8')) !== text) {
    console.error(
      `docs/screens/home.txt is not what a run prints: run \`npm run docs:recording\`\n\n${text}`,
    );
    process.exitCode = 1;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
