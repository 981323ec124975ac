import { isObject } from '@sigil/core/internal';

/**
 * Thrown if the authorization server does not answer, or if its answer is invalid. The client did not cause this error.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
}

/** Thrown if a token is invalid. */
export class TokenError extends Error {
  override readonly name = 'TokenError';

  /**
   * @param message the reason, which is sent to the client. It contains only letters, digits and simple punctuation.
   * @param details the invalid parts of the token; only the log of the server shows them.
   */
  constructor(
    message: string,
    readonly details?: Readonly<Record<string, string>>,
  ) {
    super(message);
  }
}

/**
 * Thrown if the issuer put an invalid claim into a token. The log of the server shows the error, because the client
 * cannot correct the claim.
 */
export class ClaimError extends TokenError {}

/** How long an authorization server may take to answer, in milliseconds. */
const TIMEOUT_MS = 5_000;
/** Maximum bytes of a response. */
const MAX_BYTES = 1024 * 1024;

/** A request to an authorization server. */
export interface ProviderRequest {
  /** The parameters of a POST request (`application/x-www-form-urlencoded`). Without them, the request is a GET. */
  readonly form?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response of an authorization server. */
export interface ProviderAnswer {
  readonly status: number;
  /** The body; `undefined` if it is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Sends a request to an authorization server. The function follows no redirects, reads at most 1 MiB, and waits at most
 * 5 seconds.
 *
 * @throws ProviderError if the server does not answer.
 */
export async function askProvider(
  url: string,
  { form, headers = {} }: ProviderRequest = {},
): Promise<ProviderAnswer> {
  try {
    const response = await fetch(url, {
      ...(form ? { method: 'POST', body: form } : {}),
      headers: { Accept: 'application/json', ...headers },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, body: objectIn(await textOf(response)) };
  } catch (error) {
    throw new ProviderError(`${new URL(url).origin} did not answer`, { cause: error });
  }
}

async function textOf({ body }: Response): Promise<string> {
  if (!body) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const chunks: AsyncIterable<Uint8Array<ArrayBuffer>> = body;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function objectIn(text: string): ProviderAnswer['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a URL is safe: secrets can be sent to it, and answers from it can be trusted. The URL must use https, or http
 * to this machine. It must have no user, password or fragment.
 */
export function isSafeUrl(text: unknown): text is string {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '') return false;
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLocal);
}
