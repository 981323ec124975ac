type Json = Record<string, unknown>;

/** One event of a stream. */
export interface ServerEvent {
  readonly id: string | undefined;
  /** The message it carries; undefined for one that carries none. */
  readonly message: Json | undefined;
}

/** Reads the events of a response, one after the other. */
export class EventReader implements AsyncIterable<ServerEvent> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = '';
  /** The id of the latest event that had one. */
  lastId: string | undefined;

  constructor(response: Response) {
    if (!response.body) throw new Error('the response has no body');
    this.#reader = response.body.getReader();
  }

  /** The next event; undefined at the end of the stream. */
  async next(): Promise<ServerEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        const event = read(block);
        if (!event) continue;
        this.lastId = event.id ?? this.lastId;
        return event;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** The next event whose message is of some kind. */
  async find(wanted: (message: Json) => boolean): Promise<Json> {
    for await (const { message } of this) if (message && wanted(message)) return message;
    throw new Error('the stream has ended before');
  }

  /** Drops the connection. */
  async leave(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ServerEvent, void> {
    for (let event = await this.next(); event; event = await this.next()) yield event;
  }
}

function read(block: string): ServerEvent | undefined {
  const field = (name: string): string | undefined =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const [id, data] = [field('id'), field('data')];
  if (id === undefined && data === undefined) return undefined;
  return { id, message: data ? (JSON.parse(data) as Json) : undefined };
}
