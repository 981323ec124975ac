const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const LOOSE_PARTS = 1024;

/** Receives the lines of a `LineSplitter`. */
export interface LineListener {
  /** Called with each line that is not blank, without its line break. The bytes are valid only during the call. */
  line(bytes: Buffer): void;
  /** Called once for each line that exceeds the limit. The rest of the line is skipped. */
  overlong(): void;
}

/** Splits a stream of bytes at each newline. A line can extend over several chunks. */
export class LineSplitter {
  readonly #maxLineBytes: number;
  readonly #listener: LineListener;
  readonly #parts: Buffer[] = [];
  #joined = 0;
  #length = 0;
  #skipping = false;

  /**
   * @param maxLineBytes the maximum length of a line in bytes, without its newline. At most this many bytes of a line
   *   are kept in memory.
   */
  constructor(maxLineBytes: number, listener: LineListener) {
    this.#maxLineBytes = maxLineBytes;
    this.#listener = listener;
  }

  /** Adds the next bytes of the stream, and passes the listener every line that these bytes complete. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#append(chunk, start, end);
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#append(chunk, start, chunk.length);
  }

  /** Ends the stream, and reports the bytes after the last newline as a line. */
  end(): void {
    this.#finish();
  }

  #append(chunk: Buffer, start: number, end: number): void {
    if (this.#skipping || start === end) return;
    this.#length += end - start;
    if (this.#length > this.#maxLineBytes) {
      this.#forget();
      this.#skipping = true;
      this.#listener.overlong();
      return;
    }
    this.#parts.push(chunk.subarray(start, end));
    // A client that sends single bytes must not cost a Buffer object for each of them.
    if (this.#parts.length - this.#joined >= LOOSE_PARTS) {
      this.#parts.push(Buffer.concat(this.#parts.splice(this.#joined)));
      this.#joined = this.#parts.length;
    }
  }

  #finish(): void {
    const [first] = this.#parts;
    const line = this.#parts.length > 1 ? Buffer.concat(this.#parts, this.#length) : first;
    this.#forget();
    this.#skipping = false;
    if (line && !isBlank(line)) this.#listener.line(withoutCarriageReturn(line));
  }

  #forget(): void {
    this.#parts.length = 0;
    this.#joined = 0;
    this.#length = 0;
  }
}

function withoutCarriageReturn(line: Buffer): Buffer {
  return line[line.length - 1] === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte <= SPACE);
}
