import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../tests/fuzz/random.mjs';
import { mutationsOf } from './mutations.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const HELP = `npm run mutate -- [<range of git> | <files and folders>] [<options>]
  change one place after the other in sources, and tell which changes no test notices

  --since <ref>      mutate the lines that differ from there; main by default
  --tests <path>     a suite or folder to run; by default those of the package that load the file. May be given several times
  --max <count>      how many mutations to try; all by default
  --seed <text>      what chooses them; the time by default
  --least <share>    from 0 to 1, how many must be killed for an exit code of 0; 0.9 by default
  --limit <seconds>  how long one mutation may take; 10 more than three times as long as without it by default

For example
  npm run mutate -- packages/core/src/protocol/json.ts --tests packages/core/test/invoke --max 20`;

/** Ends for a mistake in the arguments. */
function refuse(message) {
  console.error(`${message}\nnpm run mutate -- --help tells the options`);
  process.exit(2);
}

function argumentsGiven() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        since: { type: 'string', default: 'main' },
        tests: { type: 'string', multiple: true, default: [] },
        max: { type: 'string', default: 'Infinity' },
        seed: { type: 'string', default: String(Date.now()) },
        least: { type: 'string', default: '0.9' },
        limit: { type: 'string', default: 'Infinity' },
      },
    });
  } catch (error) {
    return refuse(error.message);
  }
}

const { values, positionals } = argumentsGiven();
if (values.help) {
  console.log(HELP);
  process.exit();
}

/** The number of an option. */
function numberOf(option, most = Infinity) {
  const number = Number(values[option]);
  if (values[option].trim() !== '' && number >= 0 && number <= most) return number;
  const range = most === Infinity ? 'of 0 or more' : `from 0 to ${most}`;
  return refuse(`--${option} must be a number ${range}, not '${values[option]}'`);
}

const most = numberOf('max');
const least = numberOf('least', 1);
const limitSeconds = numberOf('limit');

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
const linesOf = (text) => text.split('\n').filter((line) => line !== '');

/** What is never mutated: tests, what others wrote, and what has no code. */
const isSource = (path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !path.endsWith('.test.ts');

/** The lines that a diff has added, by file. */
function linesAdded(...range) {
  const added = new Map();
  let lines = new Set();
  for (const line of linesOf(
    git('diff', '--unified=0', '--no-color', '--no-prefix', ...range, '--', 'packages/*/src'),
  )) {
    if (line.startsWith('+++ ')) added.set(line.slice(4), (lines = new Set()));
    else if (line.startsWith('@@ ')) {
      const [first, count = 1] = line.split(' ')[2].slice(1).split(',').map(Number);
      for (let at = 0; at < count; at += 1) lines.add(first + at);
    }
  }
  return new Map(
    [...added].filter(([path]) => isSource(path)).map(([path, own]) => [path, (at) => own.has(at)]),
  );
}

/** Which lines are to be mutated, by file. */
function wantedLines() {
  if (positionals.length === 0) return linesAdded('--merge-base', values.since);
  const [range] = positionals;
  if (!range.includes('..') || range.startsWith('.')) {
    const paths = linesOf(
      git('ls-files', '--cached', '--others', '--exclude-standard', '--', ...positionals),
    );
    const sources = paths.filter(isSource);
    if (sources.length === 0) refuse(`There are no sources to mutate in ${positionals.join(', ')}`);
    return new Map(sources.map((path) => [path, () => true]));
  }
  const lines = linesAdded(range);
  const end = range.slice(range.lastIndexOf('.') + 1) || 'HEAD';
  const others = linesOf(git('diff', '--name-only', end, '--', ...lines.keys()));
  if (others.length > 0) throw new Error(`Check out ${end} first: ${others.join(', ')} are other files here`);
  return lines;
}

/** Some of the mutations, the same ones with the same seed, in the order of the files. */
function sampled(mutations, max) {
  const random = new Random(values.seed);
  const chosen = [...mutations.keys()];
  while (chosen.length > max) chosen.splice(random.whole(0, chosen.length - 1), 1);
  return chosen.map((at) => mutations[at]);
}

let child;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    child?.kill('SIGKILL');
    process.exit(130);
  });

/**
 * Runs Jest, without the suites that `npm test` leaves out.
 *
 * @param mutation what to compile differently; `text` is put in place of what stands from `start` to `end` in the file at `path`.
 * @param limitMs milliseconds until it is killed.
 * @returns whether it passed, and what it wrote.
 */
function jest(args, mutation, limitMs) {
  const program = [
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    '--runInBand',
    '--silent',
    ...args,
  ];
  const env = {
    ...process.env,
    SUITES: values.tests.length > 0 ? '' : 'test',
    MUTATION: JSON.stringify(mutation),
  };
  return new Promise((done, failed) => {
    let output = '';
    child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const timer = limitMs && setTimeout(() => child.kill('SIGKILL'), limitMs);
    child.once('error', failed).once('close', (code, signal) => {
      clearTimeout(timer);
      done({ passed: code === 0, late: signal === 'SIGKILL', output });
    });
  });
}

const UNCHANGED = { path: '', start: 0, end: 0, text: '' };

/** The suites that are run for a file: those that are named, else those of its package that load it. */
async function suitesFor(path) {
  if (values.tests.length > 0) return values.tests;
  const [folder, name] = path.split('/');
  const { output } = await jest(
    ['--listTests', '--selectProjects', `${folder}/${name}`, '--findRelatedTests', path],
    UNCHANGED,
  );
  return linesOf(output).filter((line) => line.endsWith('.test.ts'));
}

/** Runs suites without a mutation. @returns Jest's arguments for them, and how long a mutation may take. */
async function unmutated(suites) {
  const args = ['--bail', ...(values.tests.length > 0 ? suites : ['--runTestsByPath', ...suites])];
  const begun = performance.now();
  const { passed, output } = await jest(args, UNCHANGED);
  if (!passed) throw new Error(`The suites fail without a mutation:\n${output}`);
  const limitMs = limitSeconds === Infinity ? 10_000 + 3 * (performance.now() - begun) : limitSeconds * 1000;
  return { args, limitMs };
}

const all = [...wantedLines()].flatMap(([path, isWanted]) =>
  mutationsOf(readFileSync(path, 'utf8'), isWanted).map((mutation) => ({ ...mutation, path })),
);
const mutations = sampled(all, most);
console.log(`${mutations.length} of ${all.length} mutations, seed ${values.seed}`);

const plans = new Map();
const runs = new Map();
let killed = 0;
for (const { path, line, column, change, ...mutation } of mutations) {
  if (!runs.has(path)) {
    const suites = await suitesFor(path);
    const key = suites.join('\n');
    if (suites.length > 0 && !plans.has(key)) plans.set(key, await unmutated(suites));
    runs.set(path, plans.get(key));
  }
  const run = runs.get(path);
  const { passed, late } = run
    ? await jest(run.args, { ...mutation, path: resolve(path) }, run.limitMs)
    : { passed: true };
  if (!passed) killed += 1;
  const outcome = passed ? 'survived' : 'killed  ';
  const note = late ? ' (took too long)' : run ? '' : ' (no suite loads it)';
  console.log(`${outcome} ${path}:${line}:${column} ${change}${note}`);
}
const share = mutations.length === 0 ? 1 : killed / mutations.length;
console.log(`${killed} of ${mutations.length} killed: ${share.toFixed(2)}; at least ${least} must be`);
if (share < least) process.exitCode = 1;
