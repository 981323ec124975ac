import { StringDecoder } from 'node:string_decoder';
import { CREDENTIAL_HEADERS } from '@sigil/core/internal';

/** Maximum number of kept exchanges. */
const MOST_EXCHANGES = 500;
/** Maximum number of kept characters over all exchanges. */
const MOST_KEPT = 16 * 1024 * 1024;
/** Maximum number of kept characters of one body, and of the events in one answer. */
const MOST_OF_BODY = 256 * 1024;
/** Maximum number of kept events in one answer, in addition to the last event. */
const MOST_EVENTS = 1_000;
/** How long new events of an open stream are collected before they are shown, in milliseconds. */
const SHOWN_AFTER_MS = 300;

/** The headers whose values grant access. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([...CREDENTIAL_HEADERS, 'set-cookie', 'x-sigil-login']);
/** The text that replaces hidden values. */
const HIDDEN = '…';

/** Headers in Node's form. */
type Headers = Readonly<Record<string, string | readonly string[] | number | undefined>>;

/** An event of a streamed answer. */
export interface TracedEvent {
  /** Milliseconds since the start of the request. */
  readonly ms: number;
  readonly data: string;
}

/** A traced request to the server, with its answer. */
export interface Exchange {
  readonly id: number;
  /** When the request started, in ISO 8601. */
  readonly at: string;
  /** Milliseconds from the start of the request to the end (or the latest part) of the answer; 0 without an answer. */
  readonly ms: number;
  readonly request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  /** The answer; absent until the answer begins. */
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /** The first events and the last event, if the answer is a stream. */
    readonly events?: readonly TracedEvent[];
    /** The number of events that were not recorded. They are between the first events and the last event. */
    readonly leftOut?: number;
    /** Whether the answer was interrupted. */
    readonly isCut?: boolean;
  };
}

/** Records the last requests to the server and their answers, without credentials. */
export class Trace {
  readonly #exchanges = new Map<number, { readonly exchange: Exchange; readonly size: number }>();
  #count = 0;
  #size = 0;

  /** @param told a function that is called with an exchange when it begins, has new stream events, or ends. */
  constructor(private readonly told: (exchange: Exchange) => void) {}

  /** All recorded exchanges, oldest first. */
  get exchanges(): Exchange[] {
    return [...this.#exchanges.values()].map(({ exchange }) => exchange);
  }

  /**
   * Starts to record an exchange.
   *
   * @param secret a text that must not appear in the record, such as an access token.
   */
  begin(method: string, headers: Headers, body: Buffer, secret: string | undefined): OpenExchange {
    const begun = new OpenExchange(this.#count++, { method, headers, body }, secret, (exchange) => {
      this.#keep(exchange);
      this.told(exchange);
    });
    return begun;
  }

  #keep(exchange: Exchange): void {
    const size = JSON.stringify(exchange).length;
    const replaced = this.#exchanges.get(exchange.id);
    this.#exchanges.set(exchange.id, { exchange, size });
    this.#size += size - (replaced?.size ?? 0);
    for (const [id, one] of this.#exchanges) {
      if (this.#exchanges.size <= MOST_EXCHANGES && this.#size <= MOST_KEPT) return;
      this.#exchanges.delete(id);
      this.#size -= one.size;
    }
  }
}

/** An exchange in progress. */
export class OpenExchange {
  readonly #since = performance.now();
  readonly #begun: Exchange;
  readonly #decoder = new StringDecoder('utf8');
  #answer: { readonly status: number; readonly headers: Headers } | undefined;
  #text = '';
  #kept = 0;
  #isStream = false;
  readonly #events: TracedEvent[] = [];
  /** The last event, if the maximum number of events has been recorded before it. */
  #last: TracedEvent | undefined;
  #leftOut = 0;
  #show: NodeJS.Timeout | undefined;

  constructor(
    id: number,
    { method, headers, body }: { readonly method: string; readonly headers: Headers; readonly body: Buffer },
    private readonly secret: string | undefined,
    private readonly changed: (exchange: Exchange) => void,
  ) {
    const text = body.byteLength > 0 ? { body: this.#shown(body.toString('utf8')) } : {};
    const request = { method, headers: this.#shownHeaders(headers), ...text };
    this.#begun = { id, at: new Date().toISOString(), ms: 0, request };
    changed(this.#begun);
  }

  /** Records the status and the headers of the answer. */
  answered(status: number, headers: Headers): void {
    this.#answer = { status, headers };
    this.#isStream = String(headers['content-type'] ?? '').startsWith('text/event-stream');
  }

  /** Records a part of the answer. */
  received(part: Buffer): void {
    if (!this.#isStream) {
      if (this.#text.length <= MOST_OF_BODY) this.#text += this.#decoder.write(part);
      return;
    }
    const blocks = (this.#text + this.#decoder.write(part)).split(/\r?\n\r?\n/);
    this.#text = (blocks.pop() ?? '').slice(0, MOST_OF_BODY);
    for (const block of blocks) {
      const data = block
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).trimStart()] : []));
      if (data.length > 0) this.#keepEvent(data.join('\n'));
    }
    this.#show ??= setTimeout(() => {
      this.#show = undefined;
      this.#tell({});
    }, SHOWN_AFTER_MS).unref();
  }

  #keepEvent(data: string): void {
    const event = { ms: this.#elapsed(), data: this.#shown(data) };
    this.#kept += event.data.length;
    if (this.#kept <= MOST_OF_BODY && this.#events.length < MOST_EVENTS) {
      this.#events.push(event);
      return;
    }
    if (this.#last) this.#leftOut += 1;
    this.#last = event;
  }

  /** Ends the record of the exchange. @param isCut whether the answer is incomplete. */
  end(isCut: boolean): void {
    clearTimeout(this.#show);
    this.#tell(isCut ? { isCut } : {});
  }

  #tell(state: { readonly isCut?: boolean }): void {
    const { status = 0, headers = {} } = this.#answer ?? {};
    const content = this.#isStream
      ? {
          events: this.#last ? [...this.#events, this.#last] : [...this.#events],
          ...(this.#leftOut > 0 && { leftOut: this.#leftOut }),
        }
      : this.#text && { body: this.#shown(this.#text) };
    const response = { status, headers: this.#shownHeaders(headers), ...content, ...state };
    this.changed({ ...this.#begun, ms: this.#elapsed(), response });
  }

  #elapsed(): number {
    return Math.round((performance.now() - this.#since) * 10) / 10;
  }

  #shownHeaders(headers: Headers): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) => {
        if (value === undefined) return [];
        const text = SECRET_HEADERS.has(name.toLowerCase()) ? HIDDEN : this.#shown(String(value));
        return [[name, text]];
      }),
    );
  }

  #shown(text: string): string {
    const shown = this.secret ? text.replaceAll(this.secret, HIDDEN) : text;
    return shown.length > MOST_OF_BODY ? shown.slice(0, MOST_OF_BODY) + HIDDEN : shown;
  }
}
