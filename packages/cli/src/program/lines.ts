import { ServerError } from '../failures.js';

/**
 * Maximum length of one line of a server's output, in characters. The same number is the maximum size of one JSON
 * response over HTTP, in bytes.
 */
export const MOST_CHARACTERS: number = 64 * 1024 * 1024;

/** Yields the lines of a text that arrives in chunks. @throws ServerError if a line is too long. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const cutter = new LineCutter();
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield* cutter.cut(decoder.decode(chunk, { stream: true }));
  yield cutter.rest();
}

/** Cuts chunks of text into lines. It reads each character once, even in long lines. */
export class LineCutter {
  #parts: string[] = [];
  #length = 0;

  /** Adds a chunk. @returns the lines that end in the chunk. @throws ServerError if a line is too long. */
  cut(chunk: string): string[] {
    const [head = '', ...tails] = chunk.split('\n');
    this.#keep(head);
    return tails.map((tail) => {
      const line = this.rest();
      this.#keep(tail);
      return line;
    });
  }

  /** Returns the text after the last line break. */
  rest(): string {
    const line = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  #keep(part: string): void {
    this.#length += part.length;
    if (this.#length > MOST_CHARACTERS)
      throw new ServerError(`the server sends a line of more than ${MOST_CHARACTERS} characters`);
    this.#parts.push(part);
  }
}
