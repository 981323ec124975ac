import type { CanActivate, ExceptionFilter, NestInterceptor, PipeTransform } from '@nestjs/common';
import { type ApplicationConfig, BaseExceptionFilter } from '@nestjs/core';
import type { Logger } from '@sigil/core';
import { nameOf } from './names.js';
import type { Provided } from './nest-container.js';
import { isValidationPipe } from './pipes.js';

/** The TypeScript type of each kind of Nest enhancer. */
export interface EnhancerTypes {
  readonly guard: CanActivate;
  readonly interceptor: NestInterceptor;
  readonly filter: ExceptionFilter;
  readonly pipe: PipeTransform;
}

export type EnhancerKind = keyof EnhancerTypes;

/** The global enhancers of an application: the existing instances, and the ones that are created for each request. */
type Globals<T> = readonly [made: readonly T[], scoped: readonly Provided['wrapper'][]];

/**
 * Functions that return the global enhancers, one function for each kind of enhancer. A function returns the enhancers
 * that are registered at the time of the call. Do not call the functions too early: applications call
 * `app.useGlobalGuards()` and similar methods after the modules are created.
 */
export const GLOBALS: {
  readonly [K in EnhancerKind]: (config: ApplicationConfig) => Globals<EnhancerTypes[K]>;
} = {
  guard: (config) => [config.getGlobalGuards(), config.getGlobalRequestGuards()],
  interceptor: (config) => [config.getGlobalInterceptors(), config.getGlobalRequestInterceptors()],
  filter: (config) => [config.getGlobalFilters(), config.getGlobalRequestFilters()],
  pipe: (config) => [config.getGlobalPipes(), config.getGlobalRequestPipes()],
};

/** Whether an exception filter writes HTTP responses itself. Such a filter cannot run for calls of MCP handlers. */
export function answersHttp(filter: unknown): boolean {
  if (typeof filter !== 'function') return filter instanceof BaseExceptionFilter;
  const prototype: unknown = filter.prototype;
  return filter === BaseExceptionFilter || prototype instanceof BaseExceptionFilter;
}

/**
 * Logs warnings about global enhancers that do not run for calls of MCP handlers. With `inheritAppConfig: false`,
 * nothing is logged, because the application has chosen not to run these enhancers for calls.
 *
 * @param inherited the option `inheritAppConfig`.
 */
export function warnOfGlobals(
  config: ApplicationConfig,
  inherited: boolean | undefined,
  path: string,
  logger: Logger,
): void {
  const classesOf = (kind: EnhancerKind): unknown[] => {
    const [made, scoped] = GLOBALS[kind](config);
    return [...made.map((one) => one.constructor), ...scoped.map(({ metatype }) => metatype)];
  };
  const namesOf = (classes: readonly unknown[]): string => [...new Set(classes.map(nameOf))].join(', ');
  const ofHttp = classesOf('filter').filter(answersHttp);
  if (inherited === true && ofHttp.length > 0)
    logger.warn(
      `calls at ${path} bypass ${namesOf(ofHttp)}: filters that extend BaseExceptionFilter answer HTTP requests; for calls, ` +
        'write a filter that returns a value, or throws a ToolError or ProtocolError of @sigil/core',
    );
  if (inherited !== undefined) return;
  const passedBy = [
    ...classesOf('interceptor'),
    ...classesOf('filter'),
    ...classesOf('pipe').filter((cls) => !isValidationPipe(cls)),
  ];
  if (passedBy.length > 0)
    logger.warn(
      `calls at ${path} bypass global enhancers: ${namesOf(passedBy)}; write SigilModule.forRoot({ inheritAppConfig: true }) to run ` +
        'them for each call, or inheritAppConfig: false if they are only for HTTP requests',
    );
}
