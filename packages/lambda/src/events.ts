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
export function requestOf(event: LambdaEvent, over: AbortSignal): Request {
  const { rawPath, rawQueryString, headers, cookies, body, isBase64Encoded } = event;
  const method = (event.requestContext as Partial<LambdaEvent['requestContext']> | undefined)?.http?.method;
  if (method === undefined)
    throw new TypeError('This is no HTTP event of payload format 2.0: use a Function URL, or an HTTP API');
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent.set(name, value);
  if (cookies) sent.set('cookie', cookies.join('; '));
  const url = new URL(`https://${headers['host'] ?? 'localhost'}${rawPath}`);
  url.search = rawQueryString;
  const isEmpty = body === undefined || method === 'GET' || method === 'HEAD';
  const bytes = isEmpty ? null : isBase64Encoded ? Buffer.from(body, 'base64') : body;
  return new Request(url, { method, headers: sent, body: bytes, signal: over });
}

/** What Lambda is told of a response before its body. */
export function headOf({ status, headers }: Response): LambdaHead {
  return { statusCode: status, headers: Object.fromEntries(headers) };
}
