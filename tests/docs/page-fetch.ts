/** Response headers that a page may read without being told so. */
const READABLE = [
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
];
/** Request headers that need no preflight, as far as clients send them. */
const HARMLESS = ['accept', 'accept-language', 'content-language'];
const SIMPLE = ['GET', 'HEAD', 'POST'];

const listed = (headers: Headers, name: string): string[] =>
  (headers.get(name) ?? '').split(',').map((one) => one.trim().toLowerCase());

/**
 * `fetch` as a page of another origin has it (https://fetch.spec.whatwg.org/#http-cors-protocol): it asks before it sends what is not simple, and
 * what is not exposed cannot be read.
 *
 * @throws TypeError where a browser lets the page have no answer.
 */
export function pageFetch(origin: string): typeof fetch {
  const allowed = (response: Response): void => {
    const given = response.headers.get('access-control-allow-origin');
    if (given !== origin && given !== '*') throw new TypeError('Failed to fetch: the origin is not allowed');
  };
  return async (url, init) => {
    const request = new Request(url, init);
    const asked = [...request.headers.keys()].filter((name) => !HARMLESS.includes(name)).sort();
    if (asked.length > 0 || !SIMPLE.includes(request.method)) {
      const preflight = await fetch(request.url, {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': request.method,
          'Access-Control-Request-Headers': asked.join(','),
        },
      });
      allowed(preflight);
      if (!preflight.ok) throw new TypeError(`Failed to fetch: the preflight has status ${preflight.status}`);
      const methods = listed(preflight.headers, 'access-control-allow-methods');
      if (!SIMPLE.includes(request.method) && !methods.includes(request.method.toLowerCase()))
        throw new TypeError(`Failed to fetch: the method ${request.method} is not allowed`);
      const headers = listed(preflight.headers, 'access-control-allow-headers');
      const refused = asked.filter((name) => !headers.includes(name));
      if (refused.length > 0) throw new TypeError(`Failed to fetch: ${refused.join(', ')} is not allowed`);
    }
    const sent = new Headers(request.headers);
    sent.set('Origin', origin);
    const response = await fetch(new Request(request, { headers: sent }));
    allowed(response);
    const exposed = [...READABLE, ...listed(response.headers, 'access-control-expose-headers')];
    const headers = [...response.headers].filter(([name]) => exposed.includes(name));
    return new Response(response.body, { status: response.status, headers });
  };
}
