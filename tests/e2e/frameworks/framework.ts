/** A server that has the app at every mount. */
export interface Served {
  /** Where it is, such as `http://127.0.0.1:3000`. */
  readonly origin: string;
  /** Where the server speaks something else than HTTP/1.1. */
  readonly fetch?: typeof globalThis.fetch;
  /** Lets calls in flight finish, takes no more, and ends everything. */
  close(): Promise<void>;
}

/** What the contract has, and a platform may lack. */
export type Feature =
  | 'official clients'
  | 'a final slash'
  | 'streams'
  | 'streams at once'
  | 'listening'
  | 'questions'
  | 'cancelling'
  | 'cancelling before a stream'
  | 'closing';

/** One way in which apps are served: within a framework, or by a runtime. */
export interface Framework {
  readonly name: string;
  serve(): Promise<Served>;
  /** What it cannot do, and why. */
  readonly lacks?: Readonly<Partial<Record<Feature, string>>>;
  /** Whether it has the mount that reads a body without handing it on. */
  readonly readsBodies?: boolean;
  /** What has been logged as an error, where the app runs in this process. */
  readonly errors?: unknown[];
}
