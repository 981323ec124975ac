import type { Container } from '../container/container.js';
import type { Call } from '../context/call.js';
import { CompletionContext, PromptContext, ResourceContext, ToolContext } from '../context/contexts.js';
import {
  type ContextClass,
  contextOf,
  type DefinitionInfo,
  RequestContext,
  setArguments,
} from '../context/context.js';
import { type InputRequired, isSuspension } from '../context/questions.js';
import { InsufficientScopeError, invalidParams, ToolError } from '../errors/errors.js';
import type {
  CompletionDefinition,
  PromptDefinition,
  ResourceDefinition,
  ToolDefinition,
} from '../metadata/definitions.js';
import type { Constructor } from '../protocol/constructor.js';
import { isObject } from '../protocol/json.js';
import { lacksScopes } from '../protocol/principal.js';
import { after, isPromise, type MaybePromise, observed } from '../protocol/maybe-promise.js';
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ReadResourceResult,
} from '../protocol/results.js';
import { convertStrings, InvalidValueError, type ValuePlan } from '../schema/index.js';
import type { Deadlines } from '../transport/deadlines.js';
import type {
  AskingInvoke,
  Binding,
  Declaration,
  Hears,
  Invoke,
  ParameterBinding,
  Passage,
  Requirements,
  Target,
  TemplateList,
} from './declaration.js';
import {
  advisedEncoder,
  encodeChecked,
  encodeCompletion,
  encodePrompt,
  encodeResource,
  type ShapeContents,
} from './encode.js';
import { type ReadListed, readListing } from './listing.js';
import {
  type FailurePolicy,
  mapped,
  outputFailure,
  readable,
  requestFailure,
  toolFailure,
} from './failure.js';
import {
  compileGuards,
  compileMiddleware,
  compilePermits,
  compileScopes,
  type GuardParts,
  nameGuards,
  type NeededScopes,
  inTime,
} from './compile-policies.js';
import { compileConcurrency, compileRates, inPlace, type RateCounter, ratesOf } from './compile-limits.js';

/** Options for compiling handlers. */
interface InvokeOptions extends FailurePolicy {
  readonly instances: Instances;
  /** Maximum time of a guard. */
  readonly guardTime: Deadlines;
  /** Whether tools convert strings by default. */
  readonly coerce: boolean;
  /** Counts calls by rates. */
  readonly counter: RateCounter;
}

/** The differences between the kinds of definitions. */
interface Kind<R> {
  readonly Context: ContextClass;
  /** Parses and validates arguments. @returns the arguments for the handler. */
  readonly check: (args: Record<string, unknown>) => MaybePromise<unknown>;
  /** Converts the return value of the handler or its middleware to the result. */
  readonly encode: (value: unknown, call: Call, args: unknown) => MaybePromise<R>;
  /** Returns the result of a call that the `permits` of a guard refuses; absent if guards do not check arguments. */
  readonly denied: (() => R) | undefined;
  /** Converts a thrown error to a result, or throws the error of the response. */
  readonly fail: (error: unknown, call: Call) => R;
  /** The name of the only argument that a function handler gets; by default, it gets all arguments. */
  readonly argument?: string;
}

/**
 * Compiles declarations into functions that serve requests. Handlers are called only through these functions. Each call
 * goes through these steps:
 *
 * 1. the rate limits of the module and of the definition
 * 2. the method `allows` of the guards
 * 3. the scopes that do not depend on arguments
 * 4. parsing and validation of the arguments, once
 * 5. the scopes that depend on arguments
 * 6. the method `permits` of the guards
 * 7. waiting for the concurrency limit
 * 8. if the request contains a client's answers and a `requestState`: the check that this `requestState` was not used
 *    before
 * 9. middleware, and the handler inside it
 * 10. encoding of the returned value
 *
 * `Passage.enter` wraps all steps that follow the last check of scopes. These are the steps after step 3 if no scope
 * depends on arguments, otherwise the steps after step 5. Error mappers get the errors of steps 4, 6, 9 and 10.
 * Afterwards, each error becomes a result or an error response. Steps that a definition does not need are left out.
 */
export class HandlerCompiler {
  readonly #guardParts: GuardParts;

  constructor(private readonly options: InvokeOptions) {
    const { instances, guardTime, logger } = options;
    this.#guardParts = { container: instances.container, guardTime, logger, unclear: new WeakSet() };
  }

  /**
   * Compiles the access rules of a definition: one check of all guards, a separate check of each guard, and the scopes
   * that calls and completions need.
   */
  access(declaration: Declaration, info: DefinitionInfo): Requirements {
    const { guards } = declaration;
    const guardCheck = compileGuards(guards, info, this.#guardParts);
    const needed = compileScopes(declaration, this.#guardParts.guardTime);
    return {
      ...(guardCheck ? { guardCheck, guards: nameGuards(guards, info, this.#guardParts) } : {}),
      ...(needed?.fixed.length ? { scopes: needed.fixed } : {}),
      ...(needed ? { partialScopes: needed.of ?? (() => needed.fixed) } : {}),
    };
  }

  tool(
    declaration: Declaration<ToolDefinition>,
    info: DefinitionInfo,
    input: ValuePlan,
    output?: ValuePlan,
  ): AskingInvoke<CallToolResult> {
    const { options } = this;
    const { coerce = options.coerce } = declaration.definition;
    return this.#compile(declaration, info, {
      Context: ToolContext,
      check: coerce ? converting(input) : (args) => input.check(args),
      encode: output ? checkedEncoder(output, options) : advisedEncoder(declaration.where, options),
      denied: () => {
        throw new ToolError(`Access denied: you are not allowed to call ${info.name} with these arguments`);
      },
      fail: (error, call) => toolFailure(error, call, options),
    });
  }

  /**
   * Compiles the function that reads a resource.
   *
   * @param shape a function that changes one item of the contents, and is called for each item; if `undefined`, the
   *   contents stay unchanged.
   */
  resource(
    declaration: Declaration<ResourceDefinition>,
    info: DefinitionInfo,
    input: ValuePlan,
    shape: ShapeContents | undefined,
  ): AskingInvoke<ReadResourceResult | undefined> {
    const { mimeType } = declaration.definition;
    return this.#compile(declaration, info, {
      Context: ResourceContext,
      check: converting(input),
      encode: (value, call) => encodeResource(value, String(call.params['uri']), mimeType, shape),
      // A resource that may not be read does not exist for the caller.
      denied: () => undefined,
      fail: this.#refuse,
    });
  }

  prompt(
    declaration: Declaration<PromptDefinition>,
    info: DefinitionInfo,
    input: ValuePlan,
  ): AskingInvoke<GetPromptResult> {
    const { description } = declaration.definition;
    return this.#compile(declaration, info, {
      Context: PromptContext,
      check: converting(input),
      encode: (value) => encodePrompt(value, description),
      denied: () => {
        throw invalidParams(`Access denied: you are not allowed to get ${info.name} with these arguments`);
      },
      fail: this.#refuse,
    });
  }

  /** Compiles a completion. @param info the prompt or template whose argument is completed. */
  completion(declaration: Declaration<CompletionDefinition>, info: DefinitionInfo): Invoke<CompleteResult> {
    return this.#compile(declaration, info, {
      Context: CompletionContext,
      check: textsOf,
      argument: declaration.definition.argument,
      denied: undefined,
      encode: encodeCompletion,
      fail: this.#refuse,
    });
  }

  /**
   * Compiles a function that checks whether a caller is allowed to receive notifications of changes to a resource. The
   * function runs the same guards, and checks the same scopes and variables, as a read of the resource. It leaves out
   * rate limits, middleware and the handler.
   */
  hears(declaration: Declaration<ResourceDefinition>, info: DefinitionInfo, input: ValuePlan): Hears {
    const allows = compileGuards(declaration.guards, info, this.#guardParts);
    const { needs } = this.#reads(declaration, info, input);
    return async (call, uri, variables) =>
      allows && !(await allows(call)) ? undefined : needs(call, uri, variables);
  }

  /**
   * Compiles two functions for a template: one lists its resources, and one checks whether a caller may see a given
   * resource.
   *
   * @param target the function or method that returns the resources.
   * @param read a function that validates and converts one resource that the list returned.
   */
  list(
    declaration: Declaration<ResourceDefinition>,
    info: DefinitionInfo,
    input: ValuePlan,
    target: Target,
    read: ReadListed,
  ): TemplateList {
    // Guards and scopes run before it, for all templates; a refused caller sees a shorter list.
    const open = { ...declaration, target, binding: LIST_BINDING, guards: [], scopes: [], limits: [] };
    const { fixed, isPerUri, needs } = this.#reads(declaration, info, input);
    return {
      run: this.#compile(open, info, {
        Context: RequestContext,
        check: (request) => request,
        denied: undefined,
        encode: (value, _call, request) => readListing(value, isObject(request) ? request : {}, read),
        fail: this.#refuse,
      }),
      scopes: fixed,
      shows: (call, { descriptor: { uri }, variables }) =>
        !isPerUri ||
        needs(call, uri, variables).then((scopes) => !!scopes && !lacksScopes(call.principal, scopes)),
    };
  }

  /** Compiles the requirements of reading one URI, except `allows` of the guards. */
  #reads(declaration: Declaration<ResourceDefinition>, info: DefinitionInfo, input: ValuePlan): Reads {
    const { guardTime } = this.#guardParts;
    const { fixed, of: scopesOf } = compileScopes(declaration, guardTime) ?? NO_SCOPES;
    const permits = compilePermits(declaration.guards, this.#guardParts);
    const isPerUri = scopesOf !== undefined || permits !== undefined;
    const parse = converting(input);
    const needs: Hears = async (call, uri, variables) => {
      if (lacksScopes(call.principal, fixed) || !isPerUri) return fixed;
      const args = await valid(() =>
        inTime(parse({ ...variables }), `The check of the variables of ${info.name}`, guardTime),
      );
      // A resource with invalid arguments does not exist.
      if (!args) return undefined;
      const needed = scopesOf ? await scopesOf(args.value) : fixed;
      if (!permits || lacksScopes(call.principal, needed)) return needed;
      // The request may be about several resources: each gets a context of its own.
      const context = Object.assign(new ResourceContext(call, info), { uri });
      setArguments(context, args.value);
      return (await permits(call, context)) ? needed : undefined;
    };
    return { fixed, isPerUri, needs };
  }

  /** Refuses a request for a resource, prompt or completion with an error response. */
  readonly #refuse = (error: unknown, call: Call): never => {
    throw requestFailure(error, call, this.options);
  };

  /** Compiles all steps. */
  #compile<R>(declaration: Declaration, info: DefinitionInfo, kind: Kind<R>): Invoke<R> {
    const { target, binding, guards, middleware, errors, limits } = declaration;
    const { Context, check, encode, denied, fail, argument } = kind;
    const { instances, counter } = this.options;
    const limited = [info.kind, info.name, ...(argument === undefined ? [] : [argument])].join(' ');
    const countCall = compileRates(ratesOf(limits, limited), counter, info);
    const takePlace = compileConcurrency(limits, limited, info);
    const allows = compileGuards(guards, info, this.#guardParts);
    const { fixed, of: scopesOf } = compileScopes(declaration, this.#guardParts.guardTime) ?? NO_SCOPES;
    const permits = denied && compilePermits(guards, this.#guardParts);
    const around = compileMiddleware(middleware, instances.container);
    const run = compileRun(target, binding, instances, argument);
    const hasContext = permits ?? around ?? (errors.length > 0 || needsContext(target, binding, instances));

    const contextFor = (call: Call): RequestContext | undefined =>
      hasContext ? contextOf(call, Context, info) : undefined;
    /** Steps 3 to 5. */
    function scope<A>(call: Call, sent: Record<string, unknown>, passage: Passage<R, A>): MaybePromise<A> {
      const run = (args: unknown): MaybePromise<A> => passage.limited(permit(call, args, passage));
      if (!scopesOf) {
        call.needs(fixed);
        return passage.enter(() =>
          attempt(
            () => passage.limited(check(sent)),
            run,
            (error) => passage.limited(failed(error, call, passage)),
          ),
        );
      }
      if (lacksScopes(call.principal, fixed)) throw new InsufficientScopeError(fixed);
      return attempt(
        () => passage.limited(check(sent)),
        (args) =>
          after(scopesOf(args), (needed) => {
            call.needs(needed);
            return passage.enter(() => run(args));
          }),
        (error) => {
          call.needs(fixed);
          return passage.enter(() => passage.limited(failed(error, call, passage)));
        },
      );
    }
    /** Step 6. */
    function permit<A>(call: Call, args: unknown, passage: Passage<R, A>): MaybePromise<A> {
      const context = contextFor(call);
      if (context) setArguments(context, args);
      if (!permits || !context) return begin(call, args, passage);
      return attempt(
        () =>
          after(permits(call, context), (permitted) => {
            if (permitted === true) return true;
            call.refusedBy = 'guard';
            return { result: denied() };
          }),
        (permitted) => (permitted === true ? begin(call, args, passage) : passage.answer(permitted.result)),
        (error) => failed(error, call, passage),
      );
    }
    /** Step 7. */
    function begin<A>(call: Call, args: unknown, passage: Passage<R, A>): MaybePromise<A> {
      if (!takePlace) return accept(call, args, passage);
      return after(takePlace(call), (give) => accept(call, args, passage, give));
    }
    /** Step 8. */
    function accept<A>(
      call: Call,
      args: unknown,
      passage: Passage<R, A>,
      give?: () => void,
    ): MaybePromise<A> {
      const accepted = passage.accept?.();
      if (!accepted) return handle(call, args, passage, give);
      return accepted.then(
        () => handle(call, args, passage, give),
        (error: unknown) => {
          give?.();
          throw error;
        },
      );
    }
    /** Steps 9 and 10. @param give gives back the place of the handler. */
    function handle<A>(
      call: Call,
      args: unknown,
      passage: Passage<R, A>,
      give?: () => void,
    ): MaybePromise<A> {
      const context = contextFor(call);
      // Middleware of `@sigil/nest` may have put others in their place.
      const handler = (): unknown => run(call, context ? context.args : args, context);
      const handled = (): MaybePromise<R> =>
        after(around && context ? around(call, context, handler) : handler(), (value) =>
          encode(value, call, args),
        );
      const { begin } = passage;
      const work = begin ? (): MaybePromise<R> => begin().then(handled) : handled;
      return attempt(
        // The place is free before the answer: another round of the call needs one again.
        () => (give ? inPlace(give, work) : work()),
        (result) => passage.answer(result),
        (error) => failed(error, call, passage),
      );
    }
    function failed<A>(thrown: unknown, call: Call, passage: Passage<R, A>): MaybePromise<A> {
      const error = readable(thrown);
      if (isSuspension(error)) throw error;
      return attempt(
        () => mapped(error, errors, contextFor(call)),
        // A mapper that gives nothing has nothing better to say.
        (given) => passage.answer(fail(given ?? error, call)),
        (failure) => passage.answer(fail(failure, call)),
      );
    }
    function hide<A>(call: Call, passage: Passage<R, A>): A {
      call.refusedBy = 'guard';
      return passage.refuse();
    }
    /** Step 2. */
    const guarded: Invoke<R> = allows
      ? (call, args, passage) =>
          after(allows(call, contextOf(call, Context, info)), (allowed) =>
            allowed ? scope(call, args, passage) : hide(call, passage),
          )
      : scope;
    if (!countCall) return guarded;
    return (call, args, passage) =>
      after(countCall(call), (refusal) => {
        if (!refusal) return guarded(call, args, passage);
        // A caller who may not see the definition must not notice it by its rate.
        return after(allows ? allows(call, contextOf(call, Context, info)) : true, (allowed) => {
          if (!allowed) return hide(call, passage);
          throw refusal;
        });
      });
  }
}

const NO_SCOPES: NeededScopes = { fixed: [] };

/** The requirements of a read, except `allows` of the guards. */
interface Reads {
  /** The scopes that every read needs. */
  readonly fixed: readonly string[];
  /** Whether further requirements depend on the URI. */
  readonly isPerUri: boolean;
  /** Returns the scopes that the read of a URI needs; `undefined` if a guard does not permit it. */
  readonly needs: Hears;
}

/** A list handler gets the request and the context. */
const LIST_BINDING: Binding = {
  parameters: [{ from: 'arguments' }, { from: 'context' }],
  source: { kind: 'none' },
};

/** Returns the result of a validation; `undefined` if the value is refused. */
async function valid(check: () => MaybePromise<unknown>): Promise<{ readonly value: unknown } | undefined> {
  try {
    return { value: await check() };
  } catch (error) {
    if (error instanceof InvalidValueError) return undefined;
    throw error;
  }
}

/** Continues with the result of some work, or with its error. Errors of the continuation pass through. */
function attempt<T, A>(
  work: () => MaybePromise<T>,
  go: (value: T) => MaybePromise<A>,
  fail: (error: unknown) => MaybePromise<A>,
): MaybePromise<A> {
  let done: MaybePromise<T>;
  try {
    done = work();
  } catch (error) {
    return fail(error);
  }
  return isPromise(done) ? Promise.resolve(done).then(go, fail) : go(done);
}

/** Compiles the check of arguments that arrive as strings. */
function converting(input: ValuePlan): (args: Record<string, unknown>) => MaybePromise<unknown> {
  return (args) => input.check(convertStrings(args, input.advertised));
}

/** Returns the arguments of a completion that are strings, because clients may also send others. */
function textsOf(args: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function checkedEncoder(
  output: ValuePlan,
  policy: FailurePolicy,
): (value: unknown, call: Call) => MaybePromise<CallToolResult | InputRequired> {
  const fail = (error: unknown, call: Call): never => {
    throw error instanceof InvalidValueError ? outputFailure(error, call, policy) : error;
  };
  return (value, call) => {
    try {
      const encoded = encodeChecked(value, output);
      return isPromise(encoded) ? encoded.catch((error: unknown) => fail(error, call)) : encoded;
    } catch (error) {
      return fail(error, call);
    }
  };
}

/** Runs a handler with validated arguments. `context` is present if `needsContext` returned true. */
type Run = (call: Call, args: unknown, context: RequestContext | undefined) => unknown;

/** Provides the instances of services. */
export interface Instances {
  readonly container: Container;
  /** Whether all calls use the same instance of the class. */
  isSingleton(cls: Constructor): boolean;
}

type Method = (...values: unknown[]) => unknown;
type Instance = Readonly<Record<string | symbol, Method | undefined>>;

/** Whether a handler, its services or its middleware may read the context of the call. */
function needsContext(target: Target, { parameters }: Binding, instances: Instances): boolean {
  if (target.kind === 'function' || !instances.isSingleton(target.cls)) return true;
  return parameters.some(({ from }) => from === 'context' || from === 'custom');
}

/**
 * Compiles the call of a handler: it gets the instance, and passes the parameters in order.
 *
 * @param argument the only argument that a function handler gets; all arguments by default.
 */
function compileRun(target: Target, binding: Binding, instances: Instances, argument?: string): Run {
  if (target.kind === 'function') {
    const handle = target.handle as Method;
    if (argument !== undefined)
      return (_call, args, context) =>
        handle(valueOf({ from: 'argument', name: argument }, args, context), context);
    return (_call, args, context) => handle(args, context);
  }
  const { parameters } = binding;
  const instanceOf = compileInstance(target.cls, instances);
  const { method } = target;
  const mayPromise = parameters.some(({ from }) => from === 'custom');
  const run = (instance: Instance, args: unknown, context: RequestContext | undefined): unknown => {
    const values = parameters.map((parameter) => valueOf(parameter, args, context));
    if (!mayPromise || !values.some(isPromise)) return instance[method]?.(...values);
    return Promise.all(values).then((all) => instance[method]?.(...all));
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
      // Only its own members: an argument may be called valueOf.
      return isObject(args) && Object.hasOwn(args, parameter.name) ? args[parameter.name] : undefined;
    case 'context':
      return context;
    case 'custom': {
      const value = context && parameter.value(context);
      // Another parameter may fail at once, and then nothing would await this one.
      return isPromise(value) ? observed(Promise.resolve(value)) : value;
    }
  }
}

/**
 * Compiles the lookup of an instance for a call. A singleton is looked up once, other instances for each
 * call.
 */
function compileInstance(cls: Constructor, instances: Instances): (call: Call) => MaybePromise<Instance> {
  const { container } = instances;
  if (!instances.isSingleton(cls)) return (call) => container.get(cls, call.scope);
  const kept: { instance?: Instance } = {};
  return () =>
    kept.instance ??
    // A promise is not kept: one that fails may succeed at the next call.
    after(container.get<Instance>(cls), (instance) => (kept.instance = instance));
}
