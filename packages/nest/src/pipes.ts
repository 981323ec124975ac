import { type PipeTransform, type Type, ValidationPipe } from '@nestjs/common';
import { CompletionContext, type RequestContext } from '@sigil/core';
import {
  type HandlerMethod,
  isContextClass,
  isObject,
  parametersOf,
  parameterTypes,
  setArguments,
} from '@sigil/core/internal';

/**
 * A parameter of a handler. It receives the argument with the name in `name`. If `name` is `undefined`, it receives all
 * arguments.
 */
export interface PipedParameter {
  readonly name: string | undefined;
  readonly metatype: Type | undefined;
}

/**
 * Returns those parameters of a handler that receive arguments from the client. Nest's pipes can change their values.
 * Parameters that receive a context, or a value from one of Nest's parameter decorators, are not included.
 */
export function pipedParametersOf(handler: HandlerMethod): PipedParameter[] {
  const types = parameterTypes(handler);
  const decorated = parametersOf(handler);
  const typeAt = (index: number): Type | undefined => {
    const type = types?.[index];
    return typeof type === 'function' ? (type as Type) : undefined;
  };
  const named = decorated.flatMap((parameter) =>
    parameter.kind === 'custom' ? [] : [{ name: parameter.name, metatype: typeAt(parameter.index) }],
  );
  if (named.length > 0) return named;
  if (types === undefined) return [{ name: undefined, metatype: undefined }];
  return types.flatMap((type, index) =>
    isContextClass(type) || decorated.some((parameter) => parameter.index === index)
      ? []
      : [{ name: undefined, metatype: typeAt(index) }],
  );
}

/** Whether a pipe is a `ValidationPipe`. Such a pipe has no effect, because arguments are already validated. */
export function isValidationPipe(pipe: unknown): boolean {
  if (typeof pipe !== 'function') return pipe instanceof ValidationPipe;
  const prototype: unknown = pipe.prototype;
  return pipe === ValidationPipe || prototype instanceof ValidationPipe;
}

/**
 * Passes each argument of a handler through Nest's pipes, and replaces the argument with the value that they return.
 */
export async function pipeArguments(
  context: RequestContext,
  parameters: readonly PipedParameter[],
  pipes: readonly PipeTransform[],
): Promise<void> {
  // A completion only has the beginning of one argument.
  if (pipes.length === 0 || context instanceof CompletionContext) return;
  const { kind } = context.definition;
  const type = kind === 'resource' || kind === 'template' ? 'param' : 'body';
  for (const { name, metatype } of parameters) {
    const { args } = context;
    let value = name === undefined ? args : ownMember(args, name);
    for (const pipe of pipes) value = await pipe.transform(value, { type, metatype, data: name });
    setArguments(context, name === undefined ? value : { ...(isObject(args) ? args : {}), [name]: value });
  }
}

function ownMember(args: unknown, name: string): unknown {
  return isObject(args) && Object.hasOwn(args, name) ? args[name] : undefined;
}
