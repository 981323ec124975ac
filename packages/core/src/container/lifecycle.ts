import { messageOf } from '../errors/errors.js';
import { isObject } from '../protocol/json.js';
import { isPromise, observed } from '../protocol/maybe-promise.js';

/** A newly created instance, as the lifecycle sees it. */
export interface Beginning {
  readonly name: string;
  /** Whether its `onInit` and `onReady` are called. */
  readonly hooks: boolean;
  /** Resolves when its dependencies are initialised; absent if they are. */
  readonly needed: Promise<unknown> | undefined;
  /** Called when it cannot be initialised, so that it is made anew the next time. */
  readonly forget: () => void;
}

type Hook = 'onInit' | 'onReady';

/** Waits until a hook of the end has ended, no longer than the time that all of them have together. @throws Error when that is over. */
type WaitForEnd = (hook: string, work: Promise<unknown>) => Promise<void>;

/** Watches the hooks of services. */
export interface HookWatch {
  /** Waits until a hook of the start has ended, however long it takes; says from time to time that it has not. */
  starting<T>(hook: string, work: Promise<T>): Promise<T>;
  /** Starts the time limit for the hooks of a scope at its end. */
  ending(): WaitForEnd;
}

/** Initialises singletons, each after its dependencies, and notifies them when the app is ready. */
export class Lifecycle {
  /** Instances whose initialisation is running. */
  readonly #starting = new Map<unknown, Promise<void>>();
  /** Initialised instances that wait for the app to be ready, in that order. */
  readonly #waiting: { readonly name: string; readonly instance: unknown }[] = [];
  #needs: Promise<void>[] | undefined;
  #isReady = false;

  constructor(private readonly watch: HookWatch) {}

  /** Whether anything is being initialised. */
  get isStarting(): boolean {
    return this.#starting.size > 0;
  }

  /** Runs a construction. Returns its result, and a promise if the initialisation of a dependency is pending. */
  collect<T>(make: () => T): { readonly made: T; readonly starting: Promise<unknown> | undefined } {
    const outer = this.#needs;
    const needs: Promise<void>[] = [];
    this.#needs = needs;
    try {
      const made = make();
      return { made, starting: needs.length > 0 ? observed(Promise.all(needs)) : undefined };
    } finally {
      this.#needs = outer;
    }
  }

  /** Notes that the construction at hand uses an instance. */
  use<T>(instance: T): T {
    const starting = this.#starting.get(instance);
    if (starting) this.#needs?.push(starting);
    return instance;
  }

  /** The initialisation of an instance, while it is under way. */
  starting(instance: unknown): Promise<void> | undefined {
    return this.#starting.get(instance);
  }

  /** Initialises a new instance as soon as its dependencies are initialised. */
  add<T>(instance: T, { name, hooks, needed, forget }: Beginning): T {
    if (!hooks && !needed) return instance;
    if (hooks && !needed && hookOf(instance, 'onInit') === undefined) {
      this.#initialised(name, instance);
      if (!this.#isReady || hookOf(instance, 'onReady') === undefined) return instance;
    }
    const starting = this.#start(instance, name, hooks, needed).catch((error: unknown) => {
      forget();
      throw error;
    });
    const settled = observed(starting.finally(() => this.#starting.delete(instance)));
    this.#starting.set(instance, settled);
    return this.use(instance);
  }

  /** Calls `onReady` of all initialised instances, and later of new ones. */
  async ready(): Promise<void> {
    this.#isReady = true;
    for (const { name, instance } of this.#waiting.splice(0)) await this.#call(instance, 'onReady', name);
  }

  async #start(
    instance: unknown,
    name: string,
    hooks: boolean,
    needed: Promise<unknown> | undefined,
  ): Promise<void> {
    await needed;
    if (!hooks) return;
    await this.#call(instance, 'onInit', name);
    if (this.#isReady) await this.#call(instance, 'onReady', name);
    else this.#initialised(name, instance);
  }

  async #call(instance: unknown, hook: Hook, name: string): Promise<void> {
    try {
      const work = hookOf(instance, hook)?.();
      if (isPromise(work)) await this.watch.starting(`${name}.${hook}`, work);
    } catch (error) {
      throw new Error(`${name}.${hook} failed: ${messageOf(error)}`, { cause: error });
    }
  }

  #initialised(name: string, instance: unknown): void {
    if (!this.#isReady && hookOf(instance, 'onReady')) this.#waiting.push({ name, instance });
  }
}

function hookOf(instance: unknown, hook: Hook): (() => unknown) | undefined {
  if (!isObject(instance)) return undefined;
  const method = instance[hook];
  return typeof method === 'function' ? (): unknown => method.call(instance) : undefined;
}

const METHODS = [
  ['asyncDispose', Symbol.asyncDispose],
  ['dispose', Symbol.dispose],
  ['onClose', 'onClose'],
  ['destroy', 'destroy'],
] as const;

/** Something to dispose of, by the name its author knows. */
export interface Disposable {
  readonly name: string;
  /** The method that ends it, such as `onClose`. */
  readonly hook: string;
  readonly dispose: () => unknown;
}

/**
 * Disposes of instances, those made last first, each awaited before the next. One that fails, or does not end in time, does not keep the
 * others.
 *
 * @throws AggregateError with everything that failed, each with the name of the service.
 */
export async function dispose(disposables: readonly Disposable[], watch: HookWatch): Promise<void> {
  const failures: Error[] = [];
  const wait = watch.ending();
  for (const { name, hook, dispose } of [...disposables].reverse()) {
    try {
      const work = dispose();
      if (isPromise(work)) await wait(`${name}.${hook}`, work);
    } catch (error) {
      failures.push(new Error(`${name} failed to close: ${messageOf(error)}`, { cause: error }));
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(messageOf).join('; '));
}

/** How an instance wants to be disposed of, if at all. */
export function disposerOf(instance: unknown): Omit<Disposable, 'name'> | undefined {
  if (typeof instance !== 'object' || instance === null) return undefined;
  for (const [hook, key] of METHODS) {
    // Symbol.dispose is undefined on engines that do not know it yet.
    const method: unknown = key === undefined ? undefined : Reflect.get(instance, key);
    if (typeof method === 'function') return { hook, dispose: (): unknown => method.call(instance) };
  }
  return undefined;
}
