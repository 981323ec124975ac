import { createRequire } from 'node:module';
import { runInNewContext } from 'node:vm';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import '../../src/metadata/reflect.js';

type Functions = Record<string, (...args: unknown[]) => unknown>;

/** The functions of reflect-metadata itself, apart from those of this program. */
function original(): Functions {
  const path = createRequire(import.meta.url).resolve('reflect-metadata');
  const apart = {
    ...Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((name) => [name, undefined])),
  };
  const context: Record<string, unknown> = {
    Reflect: apart,
    Object,
    Function,
    WeakMap,
    Map,
    Set,
    Symbol,
    TypeError,
  };
  runInNewContext(`var globalThis = this; ${readFileSync(path, 'utf8')}`, context);
  return apart as unknown as Functions;
}

const ours = Reflect as unknown as Functions;
const theirs = original();

class Base {
  method(): void {}
}
class Derived extends Base {}
/** As compilers write classes for older engines. */
function Older(): void {}
Older.prototype = Object.create(Base.prototype, { constructor: { value: Older } });
const TARGETS = [Base, Derived, Base.prototype, Derived.prototype, Older, {}];
const target = fc.nat(TARGETS.length - 1);
const key = fc.constantFrom('design:type', 'a', 'b');
const property = fc.constantFrom<unknown>(undefined, 'method', Symbol.iterator, 1);
const step = fc.oneof(
  fc.tuple(fc.constant('defineMetadata'), key, fc.nat(5), target, property),
  fc.tuple(
    fc.constantFrom('getMetadata', 'getOwnMetadata', 'hasMetadata', 'hasOwnMetadata', 'deleteMetadata'),
    key,
    target,
    property,
  ),
  fc.tuple(fc.constantFrom('getMetadataKeys', 'getOwnMetadataKeys'), target, property),
);

describe('metadata', () => {
  test('is kept and found as by reflect-metadata', () => {
    const made = TARGETS.map((one) => one);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        for (const [name, ...args] of steps) {
          const place = name === 'defineMetadata' ? 2 : name.endsWith('Keys') ? 0 : 1;
          const given = args.map((arg, index) => (index === place ? made[arg as number] : arg));
          const said = (functions: Functions): unknown => functions[name]?.(...given);
          expect([name, args, said(ours)]).toEqual([name, args, said(theirs)]);
        }
      }),
    );
  });

  test('is recorded by decorators, the last of them first', () => {
    for (const functions of [ours, theirs]) {
      const said: string[] = [];
      const note = (name: string) => (of: object, member?: string) => {
        said.push(`${name} ${member ?? 'class'}`);
        functions['defineMetadata']?.('note', name, of, member);
      };
      class Decorated {}
      functions['decorate']?.([note('one'), note('two')], Decorated);
      functions['decorate']?.(
        [note('three'), functions['metadata']?.('k', 1)],
        Decorated.prototype,
        'member',
        null,
      );
      expect(said).toEqual(['two class', 'one class', 'three member']);
      expect(functions['getMetadata']?.('note', Decorated)).toBe('one');
      expect(functions['getMetadata']?.('k', Decorated.prototype, 'member')).toBe(1);
    }
  });

  test('is refused for what is no object', () => {
    for (const functions of [ours, theirs]) {
      expect(() => functions['defineMetadata']?.('a', 1, 'text')).toThrow(TypeError);
      expect(() => functions['getMetadata']?.('a', undefined)).toThrow(TypeError);
      expect(() => functions['decorate']?.('none', Base)).toThrow(TypeError);
    }
  });

  test('is found again when reflect-metadata is loaded later', () => {
    ours['defineMetadata']?.('kept', 'before', Base);
    const before = { ...Object.fromEntries(Object.keys(theirs).map((name) => [name, ours[name]])) };
    createRequire(import.meta.url)('reflect-metadata');
    expect(Reflect.getMetadata).not.toBe(before['getMetadata']);
    expect(Reflect.getMetadata('kept', Derived)).toBe('before');
    Reflect.defineMetadata('kept', 'after', Derived);
    expect([Reflect.getMetadata('kept', Derived), Reflect.getMetadata('kept', Base)]).toEqual([
      'after',
      'before',
    ]);
  });
});
