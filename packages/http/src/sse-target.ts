const STREAM_PATH = '/sse';
const MESSAGES_PATH = '/messages';

/** The paths of HTTP+SSE where nothing is mounted around it. */
export const SSE_PATHS: readonly string[] = [STREAM_PATH, MESSAGES_PATH];

/** Which endpoint of HTTP+SSE a request is for. */
export interface SseTarget {
  readonly endpoint: 'stream' | 'messages';
  /** Where the app is mounted, such as `/api`; empty at the root. */
  readonly mount: string;
  readonly sessionId: string | undefined;
}

/** Reads which endpoint a request is for. @returns `undefined` when it is for neither of the two. */
export function sseTarget(target: string): SseTarget | undefined {
  const [whole = '', query = ''] = target.split(/\?(.*)/s, 2);
  const path = whole.endsWith('/') ? whole.slice(0, -1) : whole;
  const found = SSE_PATHS.find((end) => path.endsWith(end));
  if (found === undefined) return undefined;
  return {
    endpoint: found === STREAM_PATH ? 'stream' : 'messages',
    // Two slashes at the start would name another host to whoever resolves it.
    mount: path.slice(0, -found.length).replace(/^\/+/, '/'),
    sessionId: new URLSearchParams(query).get('sessionId') ?? undefined,
  };
}

/** Where the client of a session posts its messages, as a relative URI. */
export function messagesUri(mount: string, sessionId: string): string {
  return `${mount}${MESSAGES_PATH}?sessionId=${sessionId}`;
}
