import type { Call } from '../context/call.js';
import { CompletionContext, PromptContext, ResourceContext, ToolContext } from '../context/contexts.js';
import type { GuardLike, MiddlewareLike } from '../context/policies.js';
import {
  type ContextClass,
  contextOf,
  type DefinitionInfo,
  setArguments,
} from '../context/request-context.js';
import { isSuspension } from '../context/suspension.js';
import { invalidParams } from '../errors/protocol-error.js';
import { ToolError } from '../errors/tool-error.js';
import type { HandlerDefinition } from '../metadata/definitions.js';
import { after, isPromise, type MaybePromise } from '../protocol/maybe-promise.js';
import type { CallToolResult } from '../protocol/results.js';
import type { Compile } from '../registry/compile.js';
import { advisedEncoder } from '../registry/output-advice.js';
import type { Declaration } from '../registry/declaration.js';
import type { AskingHandler, Handler } from '../registry/entry.js';
import { InvalidValueError, type ValuePlan } from '../schema/index.js';
import { compileRun, type Instances, needsContext } from './bind.js';
import { encodeCompletion } from './encode-completion.js';
import { encodePrompt } from './encode-prompt.js';
import { encodeResource } from './encode-resource.js';
import { compileToolEncoder } from './encode-tool.js';
import { type FailurePolicy, mapped, outputFailure, requestFailure, toolFailure } from './failure.js';
import { compileGate, compileMiddleware, compilePermits, nameGates } from './policies.js';

/** What compiling handlers needs. */
export interface InvokeOptions extends FailurePolicy {
  readonly instances: Instances;
  /** Guards and middleware of the whole app; they stand outside those of a service. */
  readonly guards: readonly GuardLike[];
  readonly middleware: readonly MiddlewareLike[];
  /** Whether tools take strings for what else is wanted, where a tool does not say. */
  readonly coerce: boolean;
}

/** Serves one call with its raw arguments. */
type Serve = (call: Call, args: Record<string, unknown>) => MaybePromise<unknown>;

/** How one kind of definition differs from the others. */
interface Kind {
  readonly Context: ContextClass;
  readonly check: (args: Record<string, unknown>) => MaybePromise<unknown>;
  /** Makes the result of what the handler, or the middleware around it, returned. */
  readonly encode: (value: unknown, call: Call) => unknown;
  /** What a guard's `permits` that says no leads to; `undefined` where guards are not asked about arguments. */
  readonly refused: (() => unknown) | undefined;
}

/**
 * Turns declarations into functions that serve requests. One call runs: guards (`gate`), then the check of its arguments, what
 * guards say of those, middleware around the handler, and the encoding of the value they give. What is thrown on the way is mapped,
 * then made a result or an error.
 */
export function createCompile(options: InvokeOptions): Compile {
  const { instances, logger } = options;
  const { container } = instances;

  function serve(
    { target, binding, guards, middleware, errors }: Declaration,
    info: DefinitionInfo,
    { Context, check, encode, refused }: Kind,
  ): Serve {
    const run = compileRun(target, binding, instances);
    const permits = refused && compilePermits([...options.guards, ...guards], container);
    const around = compileMiddleware([...options.middleware, ...middleware], container);
    if (!permits && !around && errors.length === 0 && !needsContext(target, binding, instances)) {
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
        if (!permits) return answer();
        return after(permits(call, context), (permitted) => (permitted === true ? answer() : refused()));
      });
    };
  }

  function failing(
    inner: Serve,
    { errors: mappers }: Declaration,
    fail: (error: unknown, call: Call) => unknown,
  ): Serve {
    const caught = (error: unknown, call: Call): unknown => {
      if (isSuspension(error)) throw error;
      return fail(mappers.length > 0 ? mapped(error, mappers, call.currentContext) : error, call);
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

  /** Resources, prompts and completions: whatever fails is an error response. */
  function request<R>(
    declaration: Declaration<HandlerDefinition>,
    info: DefinitionInfo,
    kind: Kind,
  ): Handler<R> {
    const fail = (error: unknown, call: Call): never => {
      throw requestFailure(error, call, declaration.where, options);
    };
    return failing(serve(declaration, info, kind), declaration, fail) as Handler<R>;
  }

  return {
    context: (kind, info) => (call) => contextOf(call, CONTEXTS[kind], info),
    tool(declaration, info, input, output) {
      const { where, definition } = declaration;
      const check = checker(input);
      const kind: Kind = {
        Context: ToolContext,
        check: (definition.coerce ?? options.coerce) ? (args) => check(input.convert(args)) : check,
        encode: output
          ? checkedEncoder(output, where, options)
          : advisedEncoder(compileToolEncoder(undefined), where, options),
        refused: () => {
          throw new ToolError(`Access denied: ${info.name} may not be called with these arguments`);
        },
      };
      return failing(serve(declaration, info, kind), declaration, (error, call) =>
        toolFailure(error, call, where, options),
      ) as AskingHandler<CallToolResult>;
    },
    resource(declaration, info, input, shape) {
      const { mimeType } = declaration.definition;
      const check = checker(input);
      return request(declaration, info, {
        Context: ResourceContext,
        check: (args) => check(input.convert(args)),
        encode: (value, call) => encodeResource(value, String(call.params['uri']), mimeType, shape),
        // What may not be read is not there.
        refused: () => undefined,
      });
    },
    prompt(declaration, info, input) {
      const { description } = declaration.definition;
      const check = checker(input);
      return request(declaration, info, {
        Context: PromptContext,
        check: (args) => check(input.convert(args)),
        encode: (value) => encodePrompt(value, description),
        refused: () => {
          throw invalidParams(`Access denied: ${info.name} may not be got with these arguments`);
        },
      });
    },
    completion(declaration, info) {
      return request(declaration, info, {
        Context: CompletionContext,
        check: (args) => args['value'],
        encode: encodeCompletion,
        refused: undefined,
      });
    },
    gate: (declaration, info) =>
      compileGate([...options.guards, ...declaration.guards], info, container, logger),
    guards: (declaration, info) =>
      nameGates([...options.guards, ...declaration.guards], info, container, logger),
  };
}

const CONTEXTS = {
  tool: ToolContext,
  resource: ResourceContext,
  template: ResourceContext,
  prompt: PromptContext,
} as const;

function checker(plan: ValuePlan): (args: unknown) => MaybePromise<unknown> {
  return (args) => {
    const loading = plan.ready();
    return loading ? loading.then(() => plan.check(args)) : plan.check(args);
  };
}

function checkedEncoder(
  output: ValuePlan,
  where: string,
  policy: FailurePolicy,
): (value: unknown) => MaybePromise<unknown> {
  const encode = compileToolEncoder(output);
  const fail = (error: unknown): never => {
    throw error instanceof InvalidValueError ? outputFailure(error, where, policy) : error;
  };
  return (value) => {
    const loading = output.ready();
    if (loading) return loading.then(() => encode(value)).catch(fail);
    try {
      const encoded = encode(value);
      return isPromise(encoded) ? encoded.catch(fail) : encoded;
    } catch (error) {
      return fail(error);
    }
  };
}
