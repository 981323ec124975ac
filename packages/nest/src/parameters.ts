import { CUSTOM_ROUTE_ARGS_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { Type } from '@nestjs/common';
import { createParamDecorator, type DefinitionProblem, type RequestContext } from '@sigil/core';
import { handlersOf } from '@sigil/core/internal';
import { CallExecutionContext } from './call.js';
import { nameOf } from './names.js';
import type { Constructor } from './nest-container.js';

type MethodName = string | symbol;

/** The record of a Nest parameter decorator. */
interface RouteParameter {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes?: readonly unknown[];
  /** The factory of the value; absent for Nest's own decorators, such as `@Body()`. */
  readonly factory?: (data: unknown, context: CallExecutionContext) => unknown;
}

/** Returns what Nest has stored about the parameter decorators on a method, such as their factories. */
export function parametersOf(cls: object, method: MethodName): RouteParameter[] {
  const found = Reflect.getMetadata(ROUTE_ARGS_METADATA, cls, method) as
    Readonly<Record<string, RouteParameter>> | undefined;
  return Object.entries(found ?? {}).map(([key, { index, data, pipes, factory }]) => ({
    index,
    data,
    ...(pipes ? { pipes } : {}),
    ...(key.includes(CUSTOM_ROUTE_ARGS_METADATA) && factory ? { factory } : {}),
  }));
}

/** Returns the reason why a parameter decorator is not supported, and the fix; `undefined` if it is supported. */
export function problemOfParameter({
  pipes = [],
  factory,
}: RouteParameter): Pick<DefinitionProblem, 'what' | 'fix'> | undefined {
  if (!factory)
    return {
      what: 'has a decorator of @nestjs/common for HTTP requests',
      fix: 'use a DTO for the arguments, or import Arg, Param and similar decorators from @sigil/core',
    };
  if (pipes.length === 0) return undefined;
  return {
    what: `has pipes, which do not run for handlers of MCP: ${pipes.map(nameOf).join(', ')}`,
    fix: 'remove the pipes, and let the decorator return the final value',
  };
}

// The bound methods by prototype. Several applications may serve a class, and its decorators are the same for all of
// them.
const BOUND = new WeakMap<object, Set<MethodName>>();

/** Makes parameter decorators from Nest's `createParamDecorator()` provide values to the MCP handlers of a class. */
export function bindNestParameters(cls: Constructor): void {
  for (const { declarer, method } of handlersOf(cls)) {
    const bound = BOUND.get(declarer) ?? new Set();
    if (bound.has(method)) continue;
    BOUND.set(declarer, bound.add(method));
    const owner = declarer.constructor as Type;
    for (const { index, data, factory } of parametersOf(owner, method)) {
      if (!factory) continue;
      const value = (context: RequestContext): unknown =>
        factory(data, new CallExecutionContext(context, owner, method));
      createParamDecorator(value)()(declarer, method, index);
    }
  }
}
