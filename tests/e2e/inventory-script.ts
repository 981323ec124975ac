import type { Client } from '@modelcontextprotocol/client';
import { STATELESS_VERSION } from './clients.js';
import type { FullClient } from './full-client.js';
import { until } from './processes.js';

type Arguments = Record<string, unknown>;

/** What a definition is given that it can use, and what it must refuse. */
interface Inputs {
  readonly good: readonly Arguments[];
  readonly bad: readonly Arguments[];
}

/** By names, so that a definition without inputs is noticed. */
const TOOLS: Readonly<Record<string, Inputs>> = {
  check_inventory: {
    good: [{ sku: 'TNT-1002' }, { sku: 'tnt-1003', warehouse: 'rtm-01' }],
    bad: [{}, { sku: 5, warehouse: [] }, { sku: 'TNT-1004' }, { sku: 'TNT-1002', warehouse: 'XXX-09' }],
  },
  reserve_stock: {
    // After the last one it is scarce, which is logged.
    good: [
      { sku: 'TNT-1003', quantity: 2 },
      { sku: 'COK-5001', quantity: 50 },
      { sku: 'SLP-4002', quantity: 1, warehouse: 'RTM-01' },
      { sku: 'RUN-7004', quantity: 3 },
    ],
    bad: [
      { sku: 'TNT-1003' },
      { sku: '', quantity: 0.5 },
      { sku: 'TNT-1003', quantity: 20_000, warehouse: 1 },
      { sku: 'TNT-1003', quantity: 5_000 },
      { sku: 'LGT-6105', quantity: 1, warehouse: 'GDN-03' },
    ],
  },
  order_status: {
    good: [{ orderId: 'SO-10421' }, { orderId: 'so-10460' }],
    bad: [{}, { orderId: null }, { orderId: 'SO-1' }],
  },
  return_items: {
    good: [{ orderId: 'SO-10421', sku: 'slp-3010', quantity: 1, reason: 'damaged' }],
    bad: [
      { orderId: 'SO-10421', sku: 'TNT-1002', quantity: 'two', reason: 'boring' },
      { orderId: 'SO-10460', sku: 'SLP-3001', quantity: 1, reason: 'unwanted' },
      { orderId: 'SO-10421', sku: 'SLP-3010', quantity: 900, reason: 'wrong item' },
      { orderId: 'SO-10421', sku: 'RUN-7004', quantity: 1, reason: 'wrong item' },
    ],
  },
};
const PROMPTS: Readonly<Record<string, Inputs>> = {
  product_recommendation: {
    good: [{ category: 'tents' }, { category: 'Running shoes', budget: '50-150' }],
    bad: [{}, { category: 'tents', budget: 'much' }, { category: 'boats' }],
  },
  product_translation: {
    good: [{ sku: 'TNT-1002', language: 'German' }],
    bad: [
      { sku: 'TNT-1002' },
      { sku: 'BOAT-1', language: 'Dutch' },
      { sku: 'TNT-1002', language: 'x'.repeat(41) },
    ],
  },
};
/** Values for the variables of templates. */
const VARIABLES: Readonly<Record<string, { readonly good: string; readonly bad: string }>> = {
  sku: { good: 'SLP-4002', bad: 'BOAT-1' },
  orderId: { good: 'SO-10421', bad: 'SO-1' },
};

/** What came of one request: its result, or its error. */
export interface Outcome {
  readonly asked: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: unknown; readonly message: string };
}

/** What came of every request, and what the server told beside. */
export interface Said {
  readonly good: readonly Outcome[];
  readonly bad: readonly Outcome[];
  /** Notifications as JSON, sorted: those of a call and those of other streams have no order. */
  readonly told: readonly string[];
}

/**
 * Asks an inventory everything that it lists, with good input and bad, and listens to changes meanwhile.
 *
 * @throws Error when it lists what there is no input for.
 */
export async function askEverything({ common, tap }: FullClient, version: string): Promise<Said> {
  const client = common as unknown as Client;
  const [good, bad]: [Outcome[], Outcome[]] = [[], []];
  const ask = async (to: Outcome[], asked: string, request: () => Promise<unknown>): Promise<void> => {
    const outcome = await request().then(
      (result) => ({ result: result as Record<string, unknown> }),
      ({ code, message }: { code: unknown; message: string }) => ({ error: { code, message } }),
    );
    to.push({ asked, ...outcome });
  };
  await watch(client, version, ['commerce://stock/low', 'commerce://products/SLP-4002']);

  const { tools } = await client.listTools();
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  good.push({ asked: 'what there is', result: { tools, prompts, resources, resourceTemplates } });

  for (const { name } of tools)
    for (const [to, args] of inputsOf(TOOLS, name, { good, bad }))
      await ask(to, `${name} ${JSON.stringify(args)}`, () => client.callTool({ name, arguments: args }));
  for (const { name, arguments: parameters = [] } of prompts) {
    for (const [to, args] of inputsOf(PROMPTS, name, { good, bad }))
      await ask(to, `${name} ${JSON.stringify(args)}`, () =>
        client.getPrompt({ name, arguments: args as Record<string, string> }),
      );
    for (const parameter of parameters)
      await ask(good, `complete ${name}(${parameter.name})`, () =>
        client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: parameter.name, value: '' } }),
      );
  }
  for (const { uri } of resources) await ask(good, uri, () => client.readResource({ uri }));
  for (const { uriTemplate } of resourceTemplates) {
    for (const [kind, to] of [
      ['good', good],
      ['bad', bad],
    ] as const) {
      const uri = uriTemplate.replace(/\{(\w+)\}/g, (_, variable: string) => valueOf(variable)[kind]);
      await ask(to, uri, () => client.readResource({ uri }));
    }
    for (const [, variable = ''] of uriTemplate.matchAll(/\{(\w+)\}/g)) {
      const ref = { type: 'ref/resource', uri: uriTemplate } as const;
      const value = valueOf(variable).good.slice(0, 4);
      await ask(good, `complete ${uriTemplate}`, () =>
        client.complete({ ref, argument: { name: variable, value } }),
      );
    }
  }
  await ask(bad, 'a tool there is not', () => client.callTool({ name: 'sell_everything', arguments: {} }));
  await ask(bad, 'a prompt there is not', () => client.getPrompt({ name: 'sell_everything' }));
  await ask(bad, 'a resource there is not', () => client.readResource({ uri: 'commerce://nothing' }));

  // The last change that is announced: what was told before has come by then.
  await client.callTool({ name: 'reserve_stock', arguments: { sku: 'SLP-4002', quantity: 2 } });
  const told = (): string[] =>
    tap.received.flatMap(({ method, params }) =>
      method?.startsWith('notifications/') ? [JSON.stringify({ method, params })] : [],
    );
  const ofLast = (): number => told().filter((one) => one.includes('SLP-4002')).length;
  await until(() => ofLast() >= 2);
  return { good, bad, told: told().sort() };
}

/** Subscribes to resources, as the era has it. */
async function watch(client: Client, version: string, uris: readonly string[]): Promise<void> {
  if (version === STATELESS_VERSION) {
    await client.listen({ resourceSubscriptions: [...uris] });
    return;
  }
  await client.setLoggingLevel('info');
  for (const uri of uris) await client.subscribeResource({ uri });
}

function inputsOf(
  all: Readonly<Record<string, Inputs>>,
  name: string,
  to: { readonly good: Outcome[]; readonly bad: Outcome[] },
): [Outcome[], Arguments][] {
  const inputs = all[name];
  if (!inputs) throw new Error(`The test has no input for ${name}`);
  return [
    ...inputs.good.map((args): [Outcome[], Arguments] => [to.good, args]),
    ...inputs.bad.map((args): [Outcome[], Arguments] => [to.bad, args]),
  ];
}

function valueOf(variable: string): { readonly good: string; readonly bad: string } {
  const value = VARIABLES[variable];
  if (!value) throw new Error(`The test has no value for {${variable}}`);
  return value;
}
