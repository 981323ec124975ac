import { beforeAll, afterAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Client } from 'pg';
import { parseAllDocuments } from 'yaml';
import { post } from '../e2e/modern-http.js';
import { noPostgres, type Postgres, startPostgres } from '../e2e/postgres.js';
import { endProcess, freePort, ServerProcess, until } from '../e2e/processes.js';
import { textBlocks } from './code-blocks.js';
import { describePage, textOf } from './guide-page.js';

type Schema = object;
const text: Schema = { type: 'string', minLength: 1 };
const whole: Schema = { type: 'integer', minimum: 0 };
const flag: Schema = { type: 'boolean' };
const texts: Schema = { type: 'object', additionalProperties: text };
const listOf = (items: Schema): Schema => ({ type: 'array', items, minItems: 1 });
/** An object with these members and no others. @param optional the names of those that may be left out. */
const only = (properties: Record<string, Schema>, ...optional: string[]): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

const selector = only({ matchLabels: texts });
const probe = only(
  {
    httpGet: only({ path: text, port: text }),
    periodSeconds: whole,
    timeoutSeconds: whole,
    failureThreshold: whole,
  },
  'timeoutSeconds',
  'failureThreshold',
);
const container = only(
  {
    name: text,
    image: text,
    args: listOf(text),
    env: listOf(only({ name: text, value: text })),
    envFrom: listOf(only({ secretRef: only({ name: text }) })),
    ports: listOf(only({ name: text, containerPort: whole })),
    startupProbe: probe,
    livenessProbe: probe,
    readinessProbe: probe,
    lifecycle: only({ preStop: only({ sleep: only({ seconds: whole }) }) }),
    resources: only({ requests: texts, limits: texts }),
    securityContext: only({
      runAsNonRoot: flag,
      allowPrivilegeEscalation: flag,
      readOnlyRootFilesystem: flag,
      capabilities: only({ drop: listOf(text) }),
    }),
  },
  ...['args', 'ports', 'startupProbe', 'livenessProbe', 'readinessProbe', 'lifecycle'],
);
const podSpec = only({
  terminationGracePeriodSeconds: whole,
  automountServiceAccountToken: flag,
  containers: listOf(container),
});
const target = only({ apiVersion: text, kind: text, name: text }, 'apiVersion', 'kind');

/** What the manifests of the page may have, as the API of Kubernetes (1.30 or later) and KEDA (2) name and type it. */
const KINDS: Readonly<Record<string, Schema>> = {
  'v1 Secret': only({ apiVersion: text, kind: text, metadata: only({ name: text }), stringData: texts }),
  ...kind('v1 Service', {
    selector: texts,
    ports: listOf(only({ name: text, port: whole, targetPort: text })),
  }),
  ...kind(
    'apps/v1 Deployment',
    {
      replicas: whole,
      selector,
      strategy: only({ rollingUpdate: only({ maxUnavailable: whole, maxSurge: whole }) }),
      template: only({ metadata: only({ labels: texts }), spec: podSpec }),
    },
    ...['replicas', 'strategy'],
  ),
  ...kind('policy/v1 PodDisruptionBudget', { maxUnavailable: whole, selector }),
  ...kind('autoscaling/v2 HorizontalPodAutoscaler', {
    scaleTargetRef: target,
    minReplicas: whole,
    maxReplicas: whole,
    metrics: listOf(
      only({
        type: { const: 'Resource' },
        resource: only({ name: text, target: only({ type: text, averageUtilization: whole }) }),
      }),
    ),
  }),
  ...kind('keda.sh/v1alpha1 ScaledObject', {
    scaleTargetRef: target,
    minReplicaCount: whole,
    maxReplicaCount: whole,
    triggers: listOf(only({ type: text, metadata: texts })),
  }),
};

function kind(name: string, spec: Record<string, Schema>, ...optional: string[]): Record<string, Schema> {
  const metadata = only({ name: text });
  return { [name]: only({ apiVersion: text, kind: text, metadata, spec: only(spec, ...optional) }) };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly timeoutSeconds?: number;
}

interface Container {
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData: Readonly<Record<string, string>>;
  readonly spec: {
    readonly selector: unknown;
    readonly template: {
      readonly metadata: { readonly labels: unknown };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [Container];
      };
    };
    readonly ports: readonly { readonly targetPort: string }[];
    readonly scaleTargetRef: { readonly name: string };
    readonly triggers: readonly { readonly metadata: Readonly<Record<string, string>> }[];
  };
}

const manifests: Manifest[] = [];
const named = (of: string, name: string): Manifest => {
  const found = manifests.find((one) => one.kind === of && one.metadata.name === name);
  if (!found) throw new Error(`the page has no ${of} ${name}`);
  return found;
};
const pod = (name: string) => {
  const { spec } = named('Deployment', name).spec.template;
  const [container] = spec.containers;
  const env = Object.fromEntries(container.env.map(({ name: key, value }) => [key, value]));
  return { spec, container, env };
};

beforeAll(async () => {
  for (const block of await textBlocks('docs/guide/kubernetes.md', 'yaml'))
    for (const document of parseAllDocuments(block)) manifests.push(document.toJS() as Manifest);
});

describe('the manifests of the page kubernetes', () => {
  test('have the fields of the API, and no others', () => {
    const ajv = new Ajv2020({ allErrors: true });
    const problems = manifests.flatMap((manifest) => {
      const schema = KINDS[`${manifest.apiVersion} ${manifest.kind}`];
      if (!schema) return [`${manifest.apiVersion} ${manifest.kind} is not known`];
      ajv.validate(schema, manifest);
      return (ajv.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    });
    expect(problems).toEqual([]);
    expect(manifests.map((one) => one.kind).sort()).toEqual(
      Object.keys(KINDS)
        .map((name) => name.split(' ')[1])
        .concat('Deployment')
        .sort(),
    );
  });

  test('find each other', () => {
    for (const deployment of manifests.filter((one) => one.kind === 'Deployment')) {
      const { labels } = deployment.spec.template.metadata;
      expect(deployment.spec.selector).toEqual({ matchLabels: labels });
      const [{ envFrom }] = deployment.spec.template.spec.containers;
      expect(envFrom.map(({ secretRef }) => named('Secret', secretRef.name).kind)).toEqual(['Secret']);
    }
    const { labels } = named('Deployment', 'shop').spec.template.metadata;
    const ports = pod('shop').container.ports?.map(({ name }) => name);
    expect(named('Service', 'shop').spec).toMatchObject({
      selector: labels,
      ports: [{ targetPort: ports?.[0] }],
    });
    expect(named('PodDisruptionBudget', 'shop').spec.selector).toEqual({ matchLabels: labels });
    for (const { spec } of manifests.filter(({ spec }) => spec?.scaleTargetRef))
      expect(named('Deployment', spec.scaleTargetRef.name).kind).toBe('Deployment');
  });

  test('give a pod the time that it takes to end, and its probes the time that it takes to answer', () => {
    const { spec, container, env } = pod('shop');
    const preStop = container.lifecycle?.preStop.sleep.seconds ?? 0;
    const seconds = (name: string): number => Number(env[name]) / 1000;
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(
      preStop + seconds('CLOSE_DELAY_MS') + 2 * seconds('DRAIN_MS') + 3,
    );
    expect(pod('shop-worker').spec.terminationGracePeriodSeconds).toBeGreaterThan(1 + 3);
    // A process gives its store 2 s.
    expect(container.readinessProbe.timeoutSeconds).toBeGreaterThan(2);
    const port = container.ports?.find(({ name }) => name === container.readinessProbe.httpGet.port);
    expect(String(port?.containerPort)).toBe(env['PORT']);
  });
});

if (noPostgres === undefined) {
  let postgres: Postgres;
  const processes: ServerProcess[] = [];
  beforeAll(async () => void (postgres = await startPostgres()), 60_000);
  afterAll(async () => {
    await Promise.all(processes.map(endProcess));
    await postgres.stop();
  });

  describePage('kubernetes', ({ fileOf }) => {
    test('shows pods that serve clients, pods that run their tasks, and a query that counts these', async () => {
      const begin = (name: string, changes: Record<string, string>): ServerProcess => {
        const { container, env } = pod(name);
        const secret = { ...named('Secret', 'shop').stringData, DATABASE_URL: postgres.url };
        const all = { ...env, ...secret, ...changes };
        const process = new ServerProcess(fileOf('main.ts'), container.args, all);
        processes.push(process);
        return process;
      };
      const port = String(await freePort());
      const server = begin('shop', { HOST: '127.0.0.1', PORT: port, CLOSE_DELAY_MS: '1500' });
      const statusAt = ({ httpGet }: Probe): Promise<number> =>
        fetch(`http://127.0.0.1:${port}${httpGet.path}`).then(
          ({ status }) => status,
          () => 0,
        );
      const { container } = pod('shop');
      const { startupProbe, livenessProbe, readinessProbe } = container;
      for (const probe of [startupProbe, livenessProbe, readinessProbe])
        await until(async () => (await statusAt(probe)) === 200);

      const ask = (method: string, params: Record<string, unknown>) =>
        post(`http://127.0.0.1:${port}/mcp`, method, params, {
          extensions: { 'io.modelcontextprotocol/tasks': {} },
        });
      const { taskId } = await ask('tools/call', { name: 'pack', arguments: { order: 'A-1' } });
      const [trigger] = named('ScaledObject', 'shop-worker').spec.triggers;
      const count = () => firstOf(postgres.url, trigger?.metadata['query'] ?? '');
      expect(await count()).toBe('1');
      expect(await ask('tasks/get', { taskId })).toMatchObject({ status: 'working' });
      const worker = begin('shop-worker', {});
      await until(async () => (await ask('tasks/get', { taskId }))['status'] === 'completed');
      expect(textOf((await ask('tasks/get', { taskId }))['result'] as object)).toBe('A-1 is packed');
      expect(await count()).toBe('0');

      server.child.kill('SIGTERM');
      worker.child.kill('SIGTERM');
      await until(async () => (await statusAt(readinessProbe)) === 503);
      expect((await ask('tools/call', { name: 'pack', arguments: { order: 'A-2' } }))['taskId']).toEqual(
        expect.any(String),
      );
      expect(await Promise.all([server.ended, worker.ended])).toEqual([
        { code: 0, signal: null },
        { code: 0, signal: null },
      ]);
    }, 60_000);
  });
} else
  describe.skip(`the page kubernetes of the guide (${noPostgres})`, () =>
    test('is skipped', () => undefined));

/** The one value that a query gives. */
async function firstOf(url: string, query: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>(query);
    return rows[0]?.count;
  } finally {
    await client.end();
  }
}
