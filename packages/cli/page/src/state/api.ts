import { parseJson } from '../../../src/json.js';
import { eventsOf, type ServerEvent } from '../mcp/event-stream.js';
import { textOf } from '../mcp/messages.js';

const KEY = 'sigil.token';
const KEPT_KEY = 'sigil.page';

/** Thrown if the command does not accept the token of this page, because `sigil dev` was started again. */
export class TokenRefused extends Error {}

/** Sends requests to the `sigil dev` command that serves this page. */
export class Api {
  constructor(private readonly token: string) {}

  /**
   * Creates the client, and removes the token from the URL, so that copies of the URL do not contain it.
   * @returns `undefined` if the page was opened without a token.
   */
  static open(): Api | undefined {
    const given = new URLSearchParams(location.hash.slice(1)).get('token');
    if (given !== null) {
      // Another command knows no login and no call of this one.
      if (given !== sessionStorage.getItem(KEY)) sessionStorage.removeItem(KEPT_KEY);
      sessionStorage.setItem(KEY, given);
      history.replaceState(null, '', location.pathname);
    }
    const token = given ?? sessionStorage.getItem(KEY);
    return token === null ? undefined : new Api(token);
  }

  /** Stores a value until the page is reloaded. */
  keep(value: unknown): void {
    sessionStorage.setItem(KEPT_KEY, JSON.stringify(value));
  }

  /** Returns the stored value and removes it, so that a copy of this tab does not use it as well. */
  takeKept(): unknown {
    const text = sessionStorage.getItem(KEPT_KEY);
    sessionStorage.removeItem(KEPT_KEY);
    return parseJson(text ?? '');
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${this.token}` };
    return fetch(path, { ...init, headers });
  }

  /**
   * Sends a request, and returns the JSON of the response.
   *
   * @param body sent as JSON by POST.
   * @throws Error with the command's message if the command refuses the request.
   */
  async json<T>(
    path: string,
    body?: unknown,
    method: string = body === undefined ? 'GET' : 'POST',
  ): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    const response = await this.fetch(path, { method, ...sent });
    const text = await response.text();
    if (response.ok) return JSON.parse(text || '{}') as T;
    if (response.status === 401) throw new TokenRefused(reasonIn(text));
    throw new Error(reasonIn(text) ?? `${path} was answered with HTTP ${response.status}`);
  }

  /** Yields the events of the command, until the signal aborts or the connection is lost. */
  async *events(signal: AbortSignal): AsyncGenerator<ServerEvent, void, undefined> {
    const response = await this.fetch('/api/events', { signal });
    if (response.status === 401) throw new TokenRefused(reasonIn(await response.text()));
    if (!response.ok) throw new Error(reasonIn(await response.text()) ?? `HTTP ${response.status}`);
    yield* eventsOf(response);
  }
}

function reasonIn(text: string): string | undefined {
  try {
    return textOf((JSON.parse(text) as { error?: unknown }).error);
  } catch {
    return text === '' ? undefined : text;
  }
}
