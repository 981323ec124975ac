import type { GuardLike, MiddlewareLike } from '../context/access.js';
import type { Call } from '../context/call.js';
import { CompletionContext, PromptContext, ResourceContext, ToolContext } from '../context/contexts.js';
import type { HandlerDefinition } from '../metadata/definitions.js';
import { after, isPromise, type MaybePromise } from '../protocol/maybe-promise.js';
import type { CallToolResult } from '../protocol/results.js';
import type { Compile } from '../registry/compile.js';
import { advisedEncoder } from '../registry/output-advice.js';
import type { Declaration } from '../registry/declaration.js';
import type { AskingHandler, Handler } from '../registry/entry.js';
import { InvalidValueError, type ValuePlan } from '../schema/index.js';
import { compileRun, type ContextClass } from './bind.js';
import { encodeCompletion } from './encode-completion.js';
import { encodePrompt } from './encode-prompt.js';
import { encodeResource } from './encode-resource.js';
import { compileToolEncoder, type EncodeTool } from './encode-tool.js';
import { type FailurePolicy, outputFailure, requestFailure, toolFailure } from './failure.js';
import { compileGate, nameGates } from './guards.js';
import { compose, type Serve } from './middleware.js';
import type { Instances } from './resolve-instance.js';
import { withUi } from './ui-contents.js';

/** What compiling handlers needs. */
export interface InvokeOptions extends FailurePolicy {
  readonly instances: Instances;
  /** Guards and middleware of the whole app; they come before those of a service. */
  readonly guards: readonly GuardLike[];
  readonly middleware: readonly MiddlewareLike[];
  /** Whether tools take strings for what else is wanted, where a tool does not say. */
  readonly coerce: boolean;
}

/** Turns declarations into functions that serve requests: check, bind, invoke, encode, each decided here and once. */
export function createCompile(options: InvokeOptions): Compile {
  const { instances } = options;
  const { container } = instances;

  function serve(
    declaration: Declaration,
    Context: ContextClass,
    check: (args: Record<string, unknown>) => MaybePromise<unknown>,
    encode: (value: unknown, call: Call) => unknown,
  ): Serve {
    const run = compileRun(declaration.target, declaration.binding, Context, instances);
    const inner: Serve = (call, args) =>
      after(check(args), (checked) => after(run(call, checked), (value) => encode(value, call)));
    const middleware = [...options.middleware, ...declaration.middleware];
    const composed = compose(middleware, inner, Context, container);
    // Middleware may answer in place of the handler, with anything a handler may return.
    return composed === inner
      ? inner
      : (call, args) => after(composed(call, args), (value) => encode(value, call));
  }

  /** Resources, prompts and completions: whatever fails is an error response. */
  function request<R>(declaration: Declaration<HandlerDefinition>, inner: Serve): Handler<R> {
    const fail = (error: unknown, call: Call): never => {
      throw requestFailure(error, call, declaration.where, options);
    };
    return guarded(inner, fail) as Handler<R>;
  }

  return {
    tool(declaration, input, output) {
      const { where } = declaration;
      const encodeValue = compileToolEncoder(output);
      const encode = output
        ? checkedEncoder(encodeValue, where, options, output)
        : advisedEncoder(encodeValue, where, options);
      const check = checker(input);
      const coerces = declaration.definition.coerce ?? options.coerce;
      const checkArguments = coerces
        ? (args: Record<string, unknown>): MaybePromise<unknown> => check(input.convert(args))
        : check;
      const inner = serve(declaration, ToolContext, checkArguments, encode);
      return guarded(inner, (error, call) =>
        toolFailure(error, call, where, options),
      ) as AskingHandler<CallToolResult>;
    },
    resource(declaration, input) {
      const { mimeType, ui } = declaration.definition;
      const check = checker(input);
      const encodeAny = (value: unknown, call: Call): ReturnType<typeof encodeResource> =>
        encodeResource(value, String(call.params['uri']), mimeType);
      const encode =
        ui && Object.keys(ui).length > 0
          ? (value: unknown, call: Call) => withUi(encodeAny(value, call), ui)
          : encodeAny;
      return request(
        declaration,
        serve(declaration, ResourceContext, (args) => check(input.convert(args)), encode),
      );
    },
    prompt(declaration, input) {
      const { description } = declaration.definition;
      const check = checker(input);
      const encode = (value: unknown): unknown => encodePrompt(value, description);
      return request(
        declaration,
        serve(declaration, PromptContext, (args) => check(input.convert(args)), encode),
      );
    },
    completion(declaration) {
      const prefix = (args: Record<string, unknown>): unknown => args['value'];
      return request(declaration, serve(declaration, CompletionContext, prefix, encodeCompletion));
    },
    gate(declaration, target) {
      return compileGate([...options.guards, ...declaration.guards], target, container, options.logger);
    },
    guards(declaration, target) {
      return nameGates([...options.guards, ...declaration.guards], target, container, options.logger);
    },
  };
}

function checker(plan: ValuePlan): (args: unknown) => MaybePromise<unknown> {
  return (args) => {
    const loading = plan.ready();
    return loading ? loading.then(() => plan.check(args)) : plan.check(args);
  };
}

function checkedEncoder(
  encode: EncodeTool,
  where: string,
  policy: FailurePolicy,
  output: ValuePlan,
): EncodeTool {
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

function guarded(inner: Serve, fail: (error: unknown, call: Call) => unknown): Serve {
  return (call, args) => {
    try {
      const result = inner(call, args);
      return isPromise(result) ? result.catch((error: unknown) => fail(error, call)) : result;
    } catch (error) {
      return fail(error, call);
    }
  };
}
