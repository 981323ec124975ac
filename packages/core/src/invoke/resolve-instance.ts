import type { Container } from '../container/contract.js';
import type { Call } from '../context/call.js';
import type { Constructor } from '../protocol/constructor.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';

/** Gives the instance a handler runs on, for one call. */
export type InstanceSource = (call: Call) => MaybePromise<Record<string | symbol, unknown>>;

/** Where instances come from, and which of them may be kept. */
export interface Instances {
  readonly container: Container;
  /** Whether one instance of the class serves every call. */
  isSingleton(cls: Constructor): boolean;
}

/** Compiles the way from a call to an instance: a singleton is asked for once, anything else each time. */
export function instanceSource(cls: Constructor, instances: Instances): InstanceSource {
  type Instance = Record<string | symbol, unknown>;
  const { container } = instances;
  if (!instances.isSingleton(cls)) {
    return (call) => container.get(cls, { request: call, session: call.session }) as MaybePromise<Instance>;
  }
  const kept: { instance?: MaybePromise<Instance> } = {};
  return () => (kept.instance ??= container.get(cls) as MaybePromise<Instance>);
}
