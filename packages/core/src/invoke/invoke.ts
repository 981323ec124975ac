import type { Container } from '../container/container.js';
import { type Call, logDetails } from '../context/call.js';
import { CompletionContext, PromptContext, ResourceContext, ToolContext } from '../context/contexts.js';
import {
  type ContextClass,
  contextOf,
  type DefinitionInfo,
  type RequestContext,
  setArguments,
} from '../context/context.js';
import { isSuspension } from '../context/questions.js';
import { InsufficientScopeError, invalidParams, kindOf, ToolError } from '../errors/errors.js';
import type {
  CompletionDefinition,
  PromptDefinition,
  ResourceDefinition,
  ToolDefinition,
} from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
import { lacksScopes } from '../protocol/principal.js';
import { after, isPromise, type MaybePromise, observed } from '../protocol/maybe-promise.js';
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from '../protocol/results.js';
import { InvalidValueError, type ValuePlan } from '../schema/index.js';
import type { Deadlines } from '../transport/deadlines.js';
import { LogThrottle } from '../transport/log-throttle.js';
import type {
  AskingHandler,
  Binding,
  Declaration,
  GuardCheck,
  Handler,
  NamedGuard,
  NeededScopes,
  ParameterBinding,
  Permits,
  Target,
} from './declaration.js';
import {
  advisedEncoder,
  compileToolEncoder,
  encodeCompletion,
  encodePrompt,
  encodeResource,
  type ShapeContents,
} from './encode.js';
import { type FailurePolicy, mapped, outputFailure, requestFailure, toolFailure } from './failure.js';
import {
  compileGuards,
  compileMiddleware,
  compilePermits,
  compileScopes,
  type GuardParts,
  nameGuards,
} from './policies.js';

/** What compiling handlers needs. */
export interface InvokeOptions extends FailurePolicy {
  readonly instances: Instances;
  /** How long a guard may take. */
  readonly guardTime: Deadlines;
  /** Whether tools take strings for what else is wanted, where a tool does not say. */
  readonly coerce: boolean;
}

/** Serves one call with its raw arguments. */
type Serve = (call: Call, args: Record<string, unknown>) => MaybePromise<unknown>;

/** Checks arguments, and gives them as a handler gets them. */
export type CheckArguments = (args: Record<string, unknown>) => MaybePromise<unknown>;

/** How one kind of definition differs from the others. */
interface Kind {
  readonly Context: ContextClass;
  readonly check: CheckArguments;
  /** Makes the result of what the handler, or the middleware around it, returned. */
  readonly encode: (value: unknown, call: Call) => unknown;
  /** What a guard's `permits` that says no leads to; `undefined` where guards are not asked about arguments. */
  readonly refused: (() => unknown) | undefined;
}

/** What callers need to see and use a definition. */
interface Requirements {
  readonly guardCheck?: GuardCheck;
  readonly guards?: readonly NamedGuard[];
  readonly neededScopes?: NeededScopes;
}

/**
 * Turns declarations into functions that serve requests. One call runs: guards (`access`), then the check of its arguments, what
 * guards say of those, middleware around the handler, and the encoding of the value they give. What is thrown on the way is mapped,
 * then made a result or an error.
 */
export class HandlerCompiler {
  readonly #guardParts: GuardParts;

  constructor(private readonly options: InvokeOptions) {
    const { instances, logger, guardTime } = options;
    this.#guardParts = { container: instances.container, logger, guardTime, told: new LogThrottle() };
  }

  /** Gives the context of a call of a definition, the same at every question for one call. */
  context(kind: keyof typeof CONTEXTS, info: DefinitionInfo): (call: Call) => RequestContext {
    return (call) => contextOf(call, CONTEXTS[kind], info);
  }

  /**
   * Compiles who may see and use a definition: its guards as one check, and one by one, and the scopes that a call needs. It is empty
   * when everybody may.
   *
   * @param check gives the arguments as the handler gets them.
   */
  access({ guards, scopes, where }: Declaration, info: DefinitionInfo, check: CheckArguments): Requirements {
    const guardCheck = compileGuards(guards, info, this.#guardParts);
    const neededScopes = compileScopes(scopes, where, check, this.#guardParts.guardTime);
    return {
      ...(guardCheck ? { guardCheck, guards: nameGuards(guards, info, this.#guardParts) } : {}),
      ...(neededScopes ? { neededScopes } : {}),
    };
  }

  /** Gives the check of the arguments of a tool. */
  toolArguments({ coerce = this.options.coerce }: ToolDefinition, input: ValuePlan): CheckArguments {
    return coerce ? (args) => input.check(input.convert(args)) : (args) => input.check(args);
  }

  tool(
    declaration: Declaration<ToolDefinition>,
    info: DefinitionInfo,
    check: CheckArguments,
    output?: ValuePlan,
  ): AskingHandler<CallToolResult> {
    const { options } = this;
    const { where } = declaration;
    const kind: Kind = {
      Context: ToolContext,
      check,
      encode: output
        ? checkedEncoder(output, options)
        : advisedEncoder(compileToolEncoder(undefined), where, options),
      refused: () => {
        throw new ToolError(`Access denied: ${info.name} may not be called with these arguments`);
      },
    };
    return failing(this.#serve(declaration, info, kind), declaration, (error, call) =>
      toolFailure(error, call, options),
    ) as AskingHandler<CallToolResult>;
  }

  /** @param shape changes each of the contents; `undefined` leaves them as they are. */
  resource(
    declaration: Declaration<ResourceDefinition>,
    info: DefinitionInfo,
    input: ValuePlan,
    shape: ShapeContents | undefined,
  ): AskingHandler<ReadResourceResult | undefined> {
    const { mimeType } = declaration.definition;
    return this.#request(declaration, info, {
      Context: ResourceContext,
      check: (args) => input.check(input.convert(args)),
      encode: (value, call) => encodeResource(value, String(call.params['uri']), mimeType, shape),
      // What may not be read is not there.
      refused: () => undefined,
    });
  }

  prompt(
    declaration: Declaration<PromptDefinition>,
    info: DefinitionInfo,
    input: ValuePlan,
  ): AskingHandler<GetPromptResult> {
    const { description } = declaration.definition;
    return this.#request(declaration, info, {
      Context: PromptContext,
      check: (args) => input.check(input.convert(args)),
      encode: (value) => encodePrompt(value, description),
      refused: () => {
        throw invalidParams(`Access denied: ${info.name} may not be got with these arguments`);
      },
    });
  }

  /** @param info the prompt or template that is completed. */
  completion(declaration: Declaration<CompletionDefinition>, info: DefinitionInfo): Handler<CompleteResult> {
    return this.#request(declaration, info, {
      Context: CompletionContext,
      check: (args) => args['value'],
      encode: encodeCompletion,
      refused: undefined,
    });
  }

  /** What the guards of a resource say of subscriptions; `undefined` when none of them looks at arguments. */
  permits(
    { guards }: Declaration<ResourceDefinition>,
    info: DefinitionInfo,
    input: ValuePlan,
  ): Permits | undefined {
    const permits = compilePermits(guards, this.#guardParts);
    if (!permits) return undefined;
    return async (call, uri, variables) => {
      try {
        // The request may be about several resources: each gets a context of its own.
        const context = Object.assign(new ResourceContext(call, info), { uri });
        setArguments(context, await input.check(input.convert({ ...variables })));
        return await permits(call, context);
      } catch (error) {
        const { kind, name } = info;
        if (!(error instanceof InvalidValueError) && kindOf(error) === 'internal')
          this.options.logger.error(
            { err: error, kind, name, ...logDetails(call) },
            'a guard failed; access is refused',
          );
        return false;
      }
    };
  }

  /** Resources, prompts and completions: whatever fails is an error response. */
  #request<R>(declaration: Declaration, info: DefinitionInfo, kind: Kind): Handler<R> {
    const fail = (error: unknown, call: Call): never => {
      throw requestFailure(error, call, this.options);
    };
    return failing(this.#serve(declaration, info, kind), declaration, fail) as Handler<R>;
  }

  #serve(
    { target, binding, where, guards, middleware, scopes, errors }: Declaration,
    info: DefinitionInfo,
    { Context, check, encode, refused }: Kind,
  ): Serve {
    const { instances } = this.options;
    const run = compileRun(target, binding, instances);
    const permits = refused && compilePermits(guards, this.#guardParts);
    // Asked of the very arguments that the handler gets: those that were looked at before may have been parsed to others.
    const needed = compileScopes(
      scopes.filter((scope) => typeof scope === 'function'),
      where,
      (checked) => checked,
      this.#guardParts.guardTime,
    );
    const around = compileMiddleware(middleware, instances.container);
    if (!permits && !needed && !around && errors.length === 0 && !needsContext(target, binding, instances)) {
      return (call, args) =>
        after(check(args), (checked) => after(run(call, checked, undefined), (value) => encode(value, call)));
    }
    return (call, args) => {
      const context = contextOf(call, Context, info);
      return after(check(args), (checked) => {
        setArguments(context, checked);
        const handler = (): unknown => run(call, checked, context);
        const value = (): MaybePromise<unknown> => (around ? around(call, context, handler) : handler());
        const answer = (): MaybePromise<unknown> => after(value(), (given) => encode(given, call));
        const go = (): MaybePromise<unknown> => {
          if (!permits) return answer();
          return after(permits(call, context), (permitted) => (permitted === true ? answer() : refused()));
        };
        if (!needed) return go();
        return after(needed(checked as Record<string, unknown>), (asked) => {
          if (lacksScopes(call.principal, asked)) throw new InsufficientScopeError(asked);
          return go();
        });
      });
    };
  }
}

/** Has what a handler throws mapped, and then made a result or an error. */
function failing(
  inner: Serve,
  { errors: mappers }: Declaration,
  fail: (error: unknown, call: Call) => unknown,
): Serve {
  const caught = (error: unknown, call: Call): unknown => {
    if (isSuspension(error)) throw error;
    if (mappers.length === 0) return fail(error, call);
    const given = mapped(error, mappers, call.currentContext);
    if (!isPromise(given)) return fail(given, call);
    return Promise.resolve(given).then(
      (later) => fail(later ?? error, call),
      (failure: unknown) => fail(failure, call),
    );
  };
  return (call, args) => {
    try {
      const result = inner(call, args);
      return isPromise(result) ? result.catch((error: unknown) => caught(error, call)) : result;
    } catch (error) {
      return caught(error, call);
    }
  };
}

const CONTEXTS: Readonly<Record<'tool' | 'resource' | 'template' | 'prompt', ContextClass>> = {
  tool: ToolContext,
  resource: ResourceContext,
  template: ResourceContext,
  prompt: PromptContext,
};

function checkedEncoder(
  output: ValuePlan,
  policy: FailurePolicy,
): (value: unknown, call: Call) => MaybePromise<unknown> {
  const encode = compileToolEncoder(output);
  const fail = (error: unknown, call: Call): never => {
    throw error instanceof InvalidValueError ? outputFailure(error, call, policy) : error;
  };
  return (value, call) => {
    try {
      const encoded = encode(value);
      return isPromise(encoded) ? encoded.catch((error: unknown) => fail(error, call)) : encoded;
    } catch (error) {
      return fail(error, call);
    }
  };
}

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
  const mayPromise = parameters.some(({ from }) => from === 'custom');
  const run = (instance: Instance, args: unknown, context: RequestContext | undefined): unknown => {
    const values = new Array<unknown>(parameters.length);
    for (let index = 0; index < parameters.length; index++) {
      values[index] = valueOf(parameters[index] as ParameterBinding, args, context);
    }
    if (!mayPromise || !values.some(isPromise)) return (instance[method] as Method)(...values);
    return Promise.all(values).then((all) => (instance[method] as Method)(...all));
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
    case 'custom': {
      const value = parameter.value(context as RequestContext);
      // Another parameter may fail at once, and then nothing would await this one.
      return isPromise(value) ? observed(Promise.resolve(value)) : value;
    }
  }
}

/** Compiles the way from a call to an instance: a singleton is asked for once, anything else each time. */
function compileInstance(cls: Constructor, instances: Instances): (call: Call) => MaybePromise<Instance> {
  const { container } = instances;
  if (!instances.isSingleton(cls)) return (call) => container.get(cls, call.scope) as MaybePromise<Instance>;
  const kept: { instance?: Instance } = {};
  return () =>
    kept.instance ??
    // A promise is not kept: one that fails may succeed at the next call.
    after(container.get(cls) as MaybePromise<Instance>, (instance) => (kept.instance = instance));
}
