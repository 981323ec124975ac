import { KEYS } from './keys.js';

/**
 * The context of a standard decorator. It is used instead of TypeScript's `DecoratorContext`, because TypeScript before
 * version 5.0 does not declare that type.
 */
export interface StandardContext {
  readonly kind: string;
  readonly name: string | symbol | undefined;
  readonly static?: boolean;
  readonly private?: boolean;
  readonly metadata?: object | undefined;
}

/**
 * A method decorator with the signature that compilers use without `experimentalDecorators`.
 *
 * @typeParam M the methods that it can decorate.
 */
export type StandardMethodDecorator<M = (...values: never[]) => unknown> = (
  method: M,
  context: StandardContext,
) => void;

/** Records something on a class, or on the prototype of a class and one of its members. */
type Recording = (target: object, member?: string | symbol) => void;

/** The pending records of a class's standard decorators, in the order of their application. */
type Waiting = readonly ((prototype: object) => void)[];

// Compilers pass decorators a metadata object, and attach it to the class under this symbol, if the symbol exists.
const METADATA: symbol = (Symbol as { metadata?: symbol }).metadata ?? Symbol.for('Symbol.metadata');
if (!('metadata' in Symbol)) Object.defineProperty(Symbol, 'metadata', { value: METADATA });

/**
 * Creates a decorator that works both with `experimentalDecorators` and as a standard decorator of TC39.
 *
 * @param name the name of the decorator.
 * @param record a function that is called with the class, or with the prototype and the name of the member.
 * @throws TypeError when the decorator is applied to a static member. As a standard decorator, it also throws on
 *   anything but a class or a public method.
 */
export function decorator(
  name: string,
  record: Recording,
): (target: object, member?: string | symbol | StandardContext) => void {
  return (target, member) => {
    if (typeof member !== 'object') {
      if (member !== undefined && typeof target === 'function')
        throw new TypeError(`@${name} on ${target.name}.${String(member)}: ${STATIC}`);
      return record(target, member);
    }
    const { kind, name: method, metadata } = member;
    if (kind === 'class') return record(target);
    if (kind !== 'method' || member.static || member.private || method === undefined)
      throw new TypeError(`@${name} on ${String(method)}: ${BELONGS}`);
    if (!metadata) throw new TypeError(`@${name} on ${String(method)}: ${NO_METADATA}`);
    // The class does not exist yet.
    const waiting = [...waitingIn(metadata), (prototype: object) => record(prototype, method)];
    Object.defineProperty(metadata, KEYS.standard, { value: waiting, configurable: true });
  };
}

const STATIC = 'a static member cannot have this decorator; decorate an instance member';
const BELONGS =
  'as a standard decorator, it belongs on a class or a public method; DTO classes need "experimentalDecorators": true in tsconfig.json';
const NO_METADATA =
  'the standard decorators of this build have no metadata; import @sigil/core before the class, or set "experimentalDecorators": true in tsconfig.json';

/**
 * Records the metadata of a class's standard decorators. Call it after the class is defined; a second call has no
 * effect.
 */
export function settleDecorators(prototype: object): void {
  const cls = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value as object | undefined;
  const metadata: unknown = cls && Object.getOwnPropertyDescriptor(cls, METADATA)?.value;
  if (typeof metadata !== 'object' || metadata === null) return;
  const waiting = waitingIn(metadata);
  if (waiting.length === 0) return;
  Object.defineProperty(metadata, KEYS.standard, { value: [], configurable: true });
  for (const record of waiting) record(prototype);
}

/**
 * Returns the pending records of a class itself. Its metadata object inherits the records of the base class.
 */
function waitingIn(metadata: object): Waiting {
  return (Object.getOwnPropertyDescriptor(metadata, KEYS.standard)?.value as Waiting | undefined) ?? [];
}
