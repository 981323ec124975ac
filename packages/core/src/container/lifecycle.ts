import { messageOf } from '../errors/errors.js';
import { isObject } from '../protocol/json.js';
import { isPromise, observed } from '../protocol/maybe-promise.js';

/** The description of a new instance, as an argument of `Lifecycle.add`. */
export interface Beginning {
  readonly name: string;
  /** Whether the lifecycle calls `onInit` and `onReady` of the instance. */
  readonly hooks: boolean;
  /** Resolves when the dependencies of the instance are initialised; `undefined` if they are initialised already. */
  readonly needed: Promise<unknown> | undefined;
  /**
   * Called when the initialisation of the instance fails, so that the next use of the service creates a new instance.
   */
  readonly forget: () => void;
}

type Hook = 'onInit' | 'onReady';

/**
 * Waits until a hook at the end of a scope has finished. All these hooks share one time limit.
 * @throws Error when the limit has passed.
 */
type WaitForEnd = (hook: string, work: Promise<unknown>) => Promise<void>;

/** Waits for the lifecycle hooks of services, such as `onInit` and `onClose`. */
export interface HookWatch {
  /**
   * Waits without a time limit until a start hook, such as `onInit`, has finished. Logs at intervals that the hook is
   * still running.
   */
  starting<T>(hook: string, work: Promise<T>): Promise<T>;
  /**
   * Called when a scope, such as a request, ends. Starts one time limit for all hooks of the scope, such as `onClose`.
   * Returns a function that waits for one hook. The promise of that function rejects when the time limit passes.
   */
  ending(): WaitForEnd;
}

/** Initialises singletons, each after its dependencies, and calls their `onReady` when the app is ready. */
export class Lifecycle {
  /** Instances whose initialisation is running. */
  readonly #starting = new Map<unknown, Promise<void>>();
  /** Initialised instances that wait for the app to be ready, in the order of initialisation. */
  readonly #waiting: { readonly name: string; readonly instance: unknown }[] = [];
  #needs: Promise<void>[] | undefined;
  #isReady = false;

  constructor(private readonly watch: HookWatch) {}

  /** Whether an instance is being initialised. */
  get isStarting(): boolean {
    return this.#starting.size > 0;
  }

  /**
   * Runs a function that constructs an instance. In the result, `made` is the instance, and `starting` is a promise
   * that resolves when the instance's dependencies are initialised; `undefined` if they are initialised already.
   */
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

  /** Records that the instance under construction depends on the given instance. Returns the given instance. */
  use<T>(instance: T): T {
    const starting = this.#starting.get(instance);
    if (starting) this.#needs?.push(starting);
    return instance;
  }

  /** Returns the promise of an instance's initialisation; `undefined` if the instance is not being initialised. */
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

  /**
   * Calls `onReady` of all initialised instances. For an instance created later, `onReady` is called after its
   * `onInit`.
   */
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

/** An instance to dispose of, with the name of its service. */
export interface Disposable {
  readonly name: string;
  /** The method that disposes of the instance, such as `onClose`. */
  readonly hook: string;
  readonly dispose: () => unknown;
}

/**
 * Disposes of instances, the newest first, and awaits each disposal before it starts the next one. If the disposal of
 * an instance fails, or does not finish in time, the other instances are still disposed of.
 *
 * @throws AggregateError if any disposal fails. It contains one error, with the name of the service, for each failure.
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

/**
 * Returns the method that disposes of an instance, such as `onClose`; `undefined` if the instance has no such method.
 */
export function disposerOf(instance: unknown): Omit<Disposable, 'name'> | undefined {
  if (typeof instance !== 'object' || instance === null) return undefined;
  for (const [hook, key] of METHODS) {
    // Symbol.dispose is undefined on engines that do not know it yet.
    const method: unknown = key === undefined ? undefined : Reflect.get(instance, key);
    if (typeof method === 'function') return { hook, dispose: (): unknown => method.call(instance) };
  }
  return undefined;
}
