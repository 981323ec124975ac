import type { HttpExchange, ResponseHeaders } from './http-exchange.js';

const ONE_DAY_SECONDS = '86400';
const REQUEST_HEADERS =
  'Content-Type, Accept, Authorization, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID';

/** What lets a page of an allowed origin read an answer. Empty for programs, which send no origin. */
export function corsHeaders(origin: string | undefined): ResponseHeaders {
  if (origin === undefined) return {};
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': 'Mcp-Session-Id, WWW-Authenticate, Retry-After',
    Vary: 'Origin',
  };
}

/** Answers the question a browser asks before it lets a page call. */
export function preflight(http: HttpExchange, methods: string): void {
  const asked = http.header('access-control-request-headers');
  http.respond(204, {
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    // Mcp-Param-* headers have names that only the client knows.
    'Access-Control-Allow-Headers': asked ?? REQUEST_HEADERS,
    'Access-Control-Max-Age': ONE_DAY_SECONDS,
  });
}
