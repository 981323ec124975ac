import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { post } from './modern-http.js';
import { noPostgres, startPostgres } from './postgres.js';
import { endProcesses, freePort, INVENTORY, ServerProcess, until } from './processes.js';
import { noRedis, Redis } from './redis.js';

const FOLDER = 'apps/inventory/operations';
const SERVER = new URL('./fixtures/operated-server.mjs', import.meta.url).pathname;
/** What Prometheus itself knows, and puts on what it scrapes. */
const OWN_METRICS = ['up'];
const OWN_LABELS = ['job', 'instance'];
/** What PostgreSQL alone has. */
const POSTGRES_METRICS = ['sigil_store_waiting'];

/** What a client declares that knows tasks. */
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

/** An expression of Prometheus, and where it stands. */
type Expression = readonly [where: string, text: string];

function alerts(): readonly Rule[] {
  const file = parse(readFileSync(`${FOLDER}/alerts.yaml`, 'utf8')) as { groups: { rules: Rule[] }[] };
  return file.groups.flatMap(({ rules }) => rules);
}

function panels(): readonly Expression[] {
  const board = JSON.parse(readFileSync(`${FOLDER}/dashboard.json`, 'utf8')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  return board.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const));
}

const EXPRESSIONS: readonly Expression[] = [
  ...panels(),
  ...alerts().map(({ alert, expr }) => [alert, expr] as const),
];

/** The metrics of an expression, each with the labels that it is asked for. */
function metricsIn(expression: string): Map<string, string[]> {
  const bare = expression.replaceAll(/"[^"]*"/g, '""');
  const grouped = [...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => labelsOf(names));
  const selectors = [...bare.matchAll(/(\w+)\{([^}]*)\}/g)];
  return new Map(
    selectors.map(([, name = '', matchers = '']) => [
      name,
      [...grouped, ...labelsOf(matchers.replaceAll(/[=!~]+""/g, ''))],
    ]),
  );
}

function labelsOf(list: string): string[] {
  return list
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');
}

/** What a scrape has: the labels of each metric. */
function labelsIn(scrape: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const line of scrape.split('\n')) {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const known = found.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
    found.set(name, known);
  }
  return found;
}

/** What keeps `promtool` from being run here; undefined where it is installed. */
const noPromtool = (process.env['PATH'] ?? '').split(delimiter).some((at) => existsSync(join(at, 'promtool')))
  ? undefined
  : 'there is no promtool on the path';

if (noPromtool === undefined) describe('promtool', readsEverything);
else describe.skip(`promtool (${noPromtool})`, readsEverything);

function readsEverything(): void {
  test('reads the rules of the alerts and every expression of the dashboard', () => {
    const folder = mkdtempSync(join(tmpdir(), 'operations-'));
    const file = join(folder, 'rules.yaml');
    const rules = panels().map(([, expr], at) => ({
      record: `panel:${at}`,
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', '.+'),
    }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    try {
      const check = (...args: readonly string[]) => execFileSync('promtool', args, { encoding: 'utf8' });
      expect(check('check', 'rules', file)).toContain('SUCCESS');
      expect(check('check', 'config', `${FOLDER}/prometheus.yaml`)).toContain(
        `${alerts().length} rules found`,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test('the inventory measures, logs and audits calls where variables say so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'operations-'));
  const [port, metrics] = [String(await freePort()), String(await freePort())];
  const audit = join(folder, 'audit.jsonl');
  const env = { METRICS: metrics, AUDIT_FILE: audit };
  const server = new ServerProcess(INVENTORY, ['--http', '--port', port], env);
  try {
    const address = `http://127.0.0.1:${port}/mcp`;
    await until(() => server.stdout.includes(address));
    await post(address, 'tools/call', { name: 'check_inventory', arguments: { sku: 'TNT-1002' } });
    await until(() => server.stderr.includes('"name":"check_inventory"') && existsSync(audit));
    await until(() => readFileSync(audit, 'utf8').includes('"name":"check_inventory"'));
    const scrape = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    expect(scrape).toMatch(/^mcp_server_operation_duration_count\{.*"check_inventory".*\} 1$/m);
  } finally {
    await endProcesses();
    rmSync(folder, { recursive: true });
  }
});

test('the picture has each panel, and the lines that Prometheus gives for it', async () => {
  const values = [0, 5, 10].map((second) => [1_000 + second, String(second)]);
  const metric = { gen_ai_tool_name: 'find_supplier', instance: '<a>' };
  const prometheus = createServer((_request, response) => {
    response.end(JSON.stringify({ data: { result: [{ metric, values }] } }));
  });
  await once(prometheus.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = prometheus.address() as AddressInfo;
    const [from, to] = [1_000, 1_010].map((second) => new Date(second * 1_000).toISOString());
    const args = [`${FOLDER}/picture.mjs`, `http://127.0.0.1:${port}`, `${from}`, `${to}`];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    for (const [title] of panels()) expect(stdout).toContain(`>${title}</text>`);
    expect(stdout).toContain('>find_supplier</text>');
    expect(stdout).toContain('>&lt;a></text>');
    expect(stdout).toContain('d="M46.0 140.0L186.0 85.0L326.0 30.0"');
  } finally {
    prometheus.close();
  }
});

if (noRedis === undefined) describe('an inventory that runs', hasWhatIsAsked);
else describe.skip(`an inventory that runs (${noRedis})`, hasWhatIsAsked);

function hasWhatIsAsked(): void {
  const scraped = { labels: new Map<string, Set<string>>(), onPostgres: '' };

  /** What a server on PostgreSQL measures that has run a task. */
  async function scrapeOnPostgres(): Promise<string> {
    if (noPostgres !== undefined) return '';
    const postgres = await startPostgres();
    try {
      const [port, metrics] = [String(await freePort()), String(await freePort())];
      const settings = { BACKEND: postgres.url, STATE_KEY: 'k'.repeat(32), TASK_MS: '20' };
      const server = new ServerProcess(SERVER, [], { ...settings, PORT: port, METRICS: metrics });
      const address = `http://127.0.0.1:${port}/mcp`;
      await until(() => server.stdout.includes(address));
      await post(address, 'tools/call', { name: 'export_catalogue', arguments: {} }, TASKS);
      const scrape = async () => (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
      await until(async () => /^sigil_tasks_kept\{.*"completed".*\} 1/m.test(await scrape()));
      scraped.onPostgres = await scrape();
      return scraped.onPostgres;
    } finally {
      await endProcesses();
      await postgres.stop();
    }
  }

  beforeAll(async () => {
    const redis = await Redis.start();
    const [port, metrics] = [String(await freePort()), String(await freePort())];
    const settings = { BACKEND: redis.url, STATE_KEY: 'k'.repeat(32), SLOW_MS: '20', TASK_MS: '200' };
    const server = new ServerProcess(SERVER, [], { ...settings, PORT: port, METRICS: metrics });
    try {
      const address = `http://127.0.0.1:${port}/mcp`;
      await until(() => server.stdout.includes(address));
      const call = (name: string, args: object = {}) =>
        post(address, 'tools/call', { name, arguments: args }, TASKS).catch((error: unknown) => error);
      await call('check_inventory', { sku: 'TNT-1002' });
      await call('check_inventory', { sku: 'nothing' });
      await call('find_supplier');
      await call('export_catalogue');
      const { taskId } = (await call('export_catalogue')) as { readonly taskId: string };
      await post(address, 'tasks/cancel', { taskId }, TASKS);
      for (let time = 0; time < 8; time += 1) await call('count_orders');
      const scrape = async () => (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
      for (const metric of ['sigil_task_run_duration_count', 'sigil_task_aborts_total{'])
        await until(async () => (await scrape()).includes(metric));
      const before = await scrape();
      await redis.stop();
      await call('count_orders');
      // Metrics are there while the store is not.
      scraped.labels = labelsIn(`${before}\n${await scrape()}\n${await scrapeOnPostgres()}`);
    } finally {
      await endProcesses();
      await redis.stop();
    }
  }, 120_000);

  (noPostgres === undefined ? test : test.skip)('tells how long statements wait for PostgreSQL', () => {
    expect(scraped.onPostgres).toMatch(
      /^sigil_store_duration_count\{.*sigil_store_part="connections",sigil_store_operation="wait".*\} [1-9]/m,
    );
    expect(scraped.onPostgres).toMatch(/^sigil_store_waiting\{.*sigil_store_backend="postgres".*\} 0/m);
    expect(scraped.onPostgres).toMatch(/^sigil_tasks_kept\{.*sigil_task_status="completed".*\} 1/m);
  });

  test.each(EXPRESSIONS)('has the metrics and labels that are asked for by: %s', (_where, expression) => {
    const asked = metricsIn(expression);
    expect(asked.size).toBeGreaterThan(0);
    for (const [name, labels] of asked) {
      if (OWN_METRICS.includes(name)) continue;
      if (noPostgres !== undefined && POSTGRES_METRICS.includes(name)) continue;
      const known = scraped.labels.get(name);
      if (!known) throw new Error(`${name} is in no scrape`);
      expect([...known, ...OWN_LABELS]).toEqual(expect.arrayContaining(labels));
    }
    // Nothing is asked for in another way than `metric{…}`.
    const words = expression.match(/\b(?:mcp|sigil|nodejs)_\w+/g) ?? [];
    expect([...asked.keys(), ...[...asked.values()].flat()]).toEqual(expect.arrayContaining(words));
  });
}
