import { connect, constants } from 'node:http2';

/** The web's `fetch` over one connection of HTTP/2 without TLS, which the one of Node does not have. */
export interface Http2Fetch {
  readonly fetch: typeof globalThis.fetch;
  close(): void;
}

/** @param authority what requests name as their host, where that is not the address. */
export function http2Fetch(address: string, authority?: string): Http2Fetch {
  const session = connect(address);
  session.on('error', () => undefined);
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const stream = session.request({
      ...Object.fromEntries(new Headers(init.headers)),
      ':method': init.method ?? 'GET',
      ':path': pathname + search,
      ...(authority === undefined ? {} : { ':authority': authority }),
    });
    const { signal } = init;
    signal?.addEventListener('abort', () => stream.close(constants.NGHTTP2_CANCEL));
    stream.end(init.body as string | undefined);
    const head = await new Promise<Record<string, unknown>>((resolve, reject) => {
      stream.on('response', resolve).on('error', reject);
      stream.on('close', () => reject(new Error('The stream was closed without an answer')));
    });
    const status = Number(head[':status']);
    const headers = Object.entries(head).filter(([name]) => !name.startsWith(':'));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        let isOver = false;
        stream.on('data', (chunk: Buffer) => controller.enqueue(chunk));
        stream.on('end', () => {
          if (!isOver && stream.rstCode === constants.NGHTTP2_NO_ERROR) controller.close();
          isOver = true;
        });
        stream.on('close', () => {
          if (!isOver) controller.error(new Error(`The stream was closed: ${stream.rstCode}`));
          isOver = true;
        });
      },
      cancel: () => stream.close(constants.NGHTTP2_CANCEL),
    });
    const isEmpty = status === 204 || status === 202;
    return new Response(isEmpty ? null : body, { status, headers: headers as [string, string][] });
  };
  return { fetch: send, close: () => session.destroy() };
}
