/** Who a request is made for. */
export interface Principal {
  /** Stable and unique among principals. */
  readonly id: string;
  readonly scopes?: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** What a transport knows of a request beside its message. */
export interface RequestInfo {
  /** HTTP headers, names in lower case; absent on other transports. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  /** The network address the request came from, such as `192.0.2.7`; absent where the transport does not know it. */
  readonly address?: string | undefined;
  /**
   * Whom quotas count the request for: the same text for all requests of a client, different ones for different clients. Absent where
   * the transport cannot tell clients apart; the connection counts then, unless many share it.
   */
  readonly quotaKey?: string | undefined;
  /** How long the text of the message was, in bytes, where the transport knows: what long ones make a call keep has a bound. */
  readonly bodyBytes?: number | undefined;
  /** The authenticated principal, when the transport has verified one. */
  readonly principal?: Principal | undefined;
}
