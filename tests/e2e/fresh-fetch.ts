import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** `fetch` of a text over a connection of its own, which reaches another worker than the one before it. */
export function freshFetch(
  url: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: object; body?: string } = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers: { ...headers }, agent: false }, (incoming) => {
      const { statusCode: status = 0, headers: received } = incoming;
      text(incoming).then(
        (answer) => resolve(new Response(answer, { status, headers: received as Record<string, string> })),
        reject,
      );
    })
      .on('error', reject)
      .end(body);
  });
}
