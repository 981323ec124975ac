/** An event of a Function URL, or of an HTTP API with payload format 2.0, as far as it is used. */
export interface LambdaEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cookies?: readonly string[];
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

/** What Lambda says of an invocation, as far as it is used. */
export interface LambdaContext {
  /** Milliseconds until the function is ended. */
  getRemainingTimeInMillis(): number;
}

/** The status and headers of an answer. */
export interface LambdaHead {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
}

/** An answer in one piece. */
export interface LambdaResult extends LambdaHead {
  readonly body: string;
}

/** The web's request for an event. @param over ends it. @throws TypeError for an event of another format. */
export function requestOf(event: LambdaEvent, body: Uint8Array<ArrayBuffer>, over: AbortSignal): Request {
  const method = (event.requestContext as Partial<LambdaEvent['requestContext']> | undefined)?.http?.method;
  if (method === undefined)
    throw new TypeError('This is no HTTP event of payload format 2.0: use a Function URL, or an HTTP API');
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers))
    if (value !== undefined) headers.set(name, value);
  if (event.cookies) headers.set('cookie', event.cookies.join('; '));
  const url = new URL(`https://${headers.get('host') ?? 'localhost'}${event.rawPath}`);
  url.search = event.rawQueryString;
  const isEmpty = method === 'GET' || method === 'HEAD' || body.length === 0;
  return new Request(url, { method, headers, body: isEmpty ? null : body, signal: over });
}
