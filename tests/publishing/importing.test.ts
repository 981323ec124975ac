import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { describe, expect, jest, test } from '@jest/globals';
import { PUBLISHED } from './packages.js';

jest.setTimeout(120_000);

const run = promisify(execFile);
const { resolve } = createRequire(`${process.cwd()}/package.json`);
/** As programs run: without what tests add to processes. */
const { NODE_OPTIONS: _, ...ENV } = process.env;

/** Runs an ES module. @returns what it prints, and what it says beside that. */
const runModule = (text: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  run(process.execPath, [...args, '--input-type=module', '--eval', text], { env: ENV });

const ENTRIES = PUBLISHED.flatMap((folder) => {
  const { name, exports } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
    name: string;
    exports?: Readonly<Record<string, unknown>>;
  };
  return Object.keys(exports ?? {})
    .filter((path) => path !== './package.json')
    .map((path) => `${name}${path.slice(1)}`);
});

/** Globals of class-validator, by which it finds its other copies, and of tslib, which Nest imports. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  'classValidatorMetadataStorage',
  ...Object.keys(createRequire(import.meta.url)('tslib') as object),
]);

/** Prints what an import changes. */
const CHANGES = (entry: string): string => `
import module, { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
const require = createRequire(import.meta.url);
const keys = (object) => Reflect.ownKeys(object).map(String);
const functions = (object) => Object.fromEntries(keys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key)?.value]));
const look = () => ({
  globals: functions(globalThis),
  listeners: Object.fromEntries(process.eventNames().map((name) => [String(name), process.listeners(name).length])),
  module: { ...functions(module), ...functions(module.prototype), ...functions(module._extensions) },
  streams: { out: process.stdout.write, error: process.stderr.write },
  console: functions(console),
  environment: { ...process.env },
  prototypes: Object.assign({}, ...[Object, Array, Function, Promise, RegExp, Error].map((one) => functions(one.prototype))),
  compileCache: { folder: module.getCompileCacheDir?.() },
});
// Node makes some of its globals when they are first read.
for (const name of keys(globalThis)) void globalThis[name];
const before = look();
await import(${JSON.stringify(entry)});
const after = look();
const changed = Object.keys(before).flatMap((part) =>
  [...new Set([...Object.keys(before[part]), ...Object.keys(after[part])])]
    .filter((name) => !Object.is(before[part][name], after[part][name]))
    .map((name) => part + ' ' + name),
);
const foreign = Object.entries(require.cache).filter(
  ([path, one]) => !(one instanceof module && one.filename === path && one.loaded && existsSync(path)),
);
console.log(JSON.stringify([...changed, ...foreign.map(([path]) => 'module ' + path)]));
`;

test.each(ENTRIES)('to import %s changes nothing', async (entry) => {
  const { stdout } = await runModule(CHANGES(entry));
  const changed = JSON.parse(stdout) as string[];
  expect(changed.filter((one) => !OF_OTHERS.has(one.replace('globals ', '')))).toEqual([]);
});

/** A server that uses each library, and prints what they did on its first call. */
const SERVER = `
import { createRequire } from 'node:module';
import { createApp, inject, Service, Tool } from '@sigil/core';
import { Transform } from 'class-transformer';
import { Validate, ValidatorConstraint } from 'class-validator';
import Container from 'typedi';
import { connect } from '@sigil/testing';
const require = createRequire(import.meta.url);
const seen = {};
const { Ajv2020 } = require('ajv/dist/2020.js');
const { compile } = Ajv2020.prototype;
Ajv2020.prototype.compile = function (...args) {
  return new Proxy(compile.apply(this, args), { apply: (...call) => ((seen.checked = true), Reflect.apply(...call)) });
};
class Stock { has(sku) { return sku === 'A-1'; } }
Service()(Stock);
class InStock {
  stock = inject(Stock);
  validate(sku) { return (seen.constraint = this.stock.has(sku)); }
}
Service()(InStock);
ValidatorConstraint({ name: 'inStock' })(InStock);
class Order {}
Validate(InStock)(Order.prototype, 'sku');
Transform(({ value }) => ((seen.transformed = value), value.toUpperCase()))(Order.prototype, 'sku');
Reflect.metadata('design:type', String)(Order.prototype, 'sku');
class Orders {
  stock = inject(Stock);
  order(order) { return String(order instanceof Order && this.stock instanceof Stock && order.sku); }
}
Reflect.metadata('design:paramtypes', [Order])(Orders.prototype, 'order');
Tool({ description: 'Orders' })(Orders.prototype, 'order', Object.getOwnPropertyDescriptor(Orders.prototype, 'order'));
Service()(Orders);
const app = await createApp({ name: 'shop', version: '1.0.0', services: [Orders] });
const client = await connect(app);
const { content } = await client.callTool('order', { sku: 'a-1' });
console.log(JSON.stringify({ seen, content, loaded: Object.keys(require.cache) }));
process.exit(0);
`;

describe('a server whose DTO has @Transform and a constraint with an injected service', () => {
  test('has each library at work on its first call, from where it is installed', async () => {
    const { stdout } = await runModule(SERVER);
    const { seen, content, loaded } = JSON.parse(stdout) as Record<string, unknown>;
    expect(seen).toEqual({ checked: true, transformed: 'a-1', constraint: true });
    expect(content).toEqual([expect.objectContaining({ text: 'A-1' })]);
    const libraries = [
      'reflect-metadata',
      'ajv/dist/2020.js',
      'class-validator',
      'class-transformer',
      'typedi',
    ];
    expect(loaded).toEqual(expect.arrayContaining(libraries.map((name) => resolve(name))));
  });

  test.each(['reflect-metadata', 'ajv', 'class-validator', 'class-transformer', 'typedi'])(
    'says that %s is missing where it is',
    async (name) => {
      const hook = `export const resolve = (specifier, context, next) => {
        if (specifier !== '${name}' && !specifier.startsWith('${name}/')) return next(specifier, context);
        throw Object.assign(new Error("Cannot find package '" + specifier + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
      };`;
      const asUrl = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
      const registered = asUrl(
        `import Module, { register } from 'node:module';
        register(${JSON.stringify(asUrl(hook))});
        const { _resolveFilename } = Module;
        Module._resolveFilename = (specifier, ...others) => {
          if (specifier !== '${name}' && !specifier.startsWith('${name}/')) return _resolveFilename(specifier, ...others);
          throw Object.assign(new Error("Cannot find module '" + specifier + "'"), { code: 'MODULE_NOT_FOUND' });
        };`,
      );
      // ajv is loaded for the first value, so that one is logged with the call.
      const { stderr } = await runModule(SERVER, '--import', registered).catch(
        (error: { stderr: string }) => error,
      );
      expect(stderr).toMatch(new RegExp(`Cannot find (?:package|module) '${name}`));
    },
  );
});
