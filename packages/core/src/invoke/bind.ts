import type { Container } from '../container/contract.js';
import type { Call } from '../context/call.js';
import type { RequestContext } from '../context/request-context.js';
import type { Constructor } from '../protocol/constructor.js';
import { after, isPromise, type MaybePromise } from '../protocol/maybe-promise.js';
import type { Binding, ParameterBinding, Target } from '../registry/declaration.js';

/** Runs a handler with checked arguments. The context is there when `needsContext` says so. */
export type Run = (call: Call, args: unknown, context: RequestContext | undefined) => unknown;

/** Where instances come from, and which of them may be kept. */
export interface Instances {
  readonly container: Container;
  /** Whether one instance of the class serves every call. */
  isSingleton(cls: Constructor): boolean;
}

type Method = (...values: unknown[]) => unknown;
type Instance = Record<string | symbol, unknown>;

/** Whether a handler, or what it runs on, may look at the context of the call. */
export function needsContext(target: Target, { parameters }: Binding, instances: Instances): boolean {
  if (target.kind === 'function' || !instances.isSingleton(target.cls)) return true;
  return parameters.some(({ from }) => from === 'context' || from === 'custom');
}

/** Compiles the call of a handler: which instance, which parameters, in which order. */
export function compileRun(target: Target, binding: Binding, instances: Instances): Run {
  if (target.kind === 'function') {
    const handle = target.handle as unknown as Method;
    return (_call, args, context) => handle(args, context);
  }
  const { parameters } = binding;
  const instanceOf = compileInstance(target.cls, instances);
  const { method } = target;
  const run = (instance: Instance, args: unknown, context: RequestContext | undefined): unknown => {
    const values = new Array<unknown>(parameters.length);
    for (let index = 0; index < parameters.length; index++) {
      values[index] = valueOf(parameters[index] as ParameterBinding, args, context);
    }
    return (instance[method] as Method)(...values);
  };
  return (call, args, context): MaybePromise<unknown> => {
    const instance = instanceOf(call);
    return isPromise(instance)
      ? instance.then((made) => run(made, args, context))
      : run(instance, args, context);
  };
}

function valueOf(parameter: ParameterBinding, args: unknown, context: RequestContext | undefined): unknown {
  switch (parameter.from) {
    case 'arguments':
      return args;
    case 'argument':
      return (args as Record<string, unknown>)[parameter.name];
    case 'context':
      return context;
    case 'custom':
      return parameter.value(context as RequestContext);
  }
}

/** Compiles the way from a call to an instance: a singleton is asked for once, anything else each time. */
function compileInstance(cls: Constructor, instances: Instances): (call: Call) => MaybePromise<Instance> {
  const { container } = instances;
  if (!instances.isSingleton(cls)) return (call) => container.get(cls, call) as MaybePromise<Instance>;
  const kept: { instance?: Instance } = {};
  return () =>
    kept.instance ??
    // A promise is not kept: one that fails may succeed at the next call.
    after(container.get(cls) as MaybePromise<Instance>, (instance) => (kept.instance = instance));
}
