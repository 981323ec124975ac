import { HttpException, HttpStatus } from '@nestjs/common';
import {
  ERROR_CODES,
  type ErrorMapper,
  invalidParams,
  mapError,
  ProtocolError,
  ToolError,
} from '@sigil/core';

/**
 * What an exception of Nest becomes that a handler, an interceptor or a filter throws. One that says that the server has failed stays
 * unexpected: it is logged, and its message stays here.
 */
export const httpExceptions: ErrorMapper = mapError(HttpException, (exception, context) => {
  const status = exception.getStatus();
  if (status >= 500) return undefined;
  const text = textOf(exception);
  const kind = context?.definition.kind;
  if (kind === 'tool') return new ToolError(text, { cause: exception });
  const isResource = kind === 'resource' || kind === 'template';
  if (isResource && status === Number(HttpStatus.NOT_FOUND))
    return new ProtocolError(ERROR_CODES.resourceNotFound, text, undefined, { cause: exception });
  return invalidParams(text);
});

/** Its message; of a `ValidationPipe` and its like all of them. */
function textOf(exception: HttpException): string {
  const response = exception.getResponse();
  const message =
    typeof response === 'string' ? response : (response as { readonly message?: unknown }).message;
  return Array.isArray(message)
    ? message.join('; ')
    : typeof message === 'string'
      ? message
      : exception.message;
}
