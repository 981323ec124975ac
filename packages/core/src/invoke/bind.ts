import type { Call } from '../context/call.js';
import type { RequestContext } from '../context/request-context.js';
import { isPromise, type MaybePromise } from '../protocol/maybe-promise.js';
import type { Binding, ParameterBinding, Target } from '../registry/declaration.js';
import { type Instances, instanceSource } from './resolve-instance.js';

/** Makes the context a handler may ask for. */
export type ContextClass = new (call: Call) => RequestContext;

/** Runs a handler with checked arguments. */
export type Run = (call: Call, args: unknown) => unknown;

type Method = (...values: unknown[]) => unknown;

/** Compiles the call of a handler: which instance, which parameters, in which order. */
export function compileRun(
  target: Target,
  binding: Binding,
  Context: ContextClass,
  instances: Instances,
): Run {
  if (target.kind === 'function') {
    const handle = target.handle as unknown as Method;
    return (call, args) => handle(args, new Context(call));
  }
  const values = compileValues(binding.parameters, Context);
  const instanceOf = instanceSource(target.cls, instances);
  const { method } = target;
  return (call, args): MaybePromise<unknown> => {
    const instance = instanceOf(call);
    if (isPromise(instance)) return instance.then((made) => (made[method] as Method)(...values(call, args)));
    return (instance[method] as Method)(...values(call, args));
  };
}

function compileValues(
  parameters: readonly ParameterBinding[],
  Context: ContextClass,
): (call: Call, args: unknown) => unknown[] {
  return (call, args) => {
    const values = new Array<unknown>(parameters.length);
    for (let index = 0; index < parameters.length; index++) {
      values[index] = valueOf(parameters[index] as ParameterBinding, call, args, Context);
    }
    return values;
  };
}

function valueOf(parameter: ParameterBinding, call: Call, args: unknown, Context: ContextClass): unknown {
  switch (parameter.from) {
    case 'arguments':
      return args;
    case 'argument':
      return (args as Record<string, unknown>)[parameter.name];
    case 'context':
      return new Context(call);
  }
}
