/** A place in a stream: behind one of its events, or at its beginning. */
export interface EventCursor {
  readonly stream: string;
  /** The event by the id its store gave it; absent at the beginning. */
  readonly id?: string;
}

/** Writes a place down as clients are told it. The stream is part of it, so no store can mix streams up. */
export function eventId(stream: string, id?: string): string {
  return id === undefined ? stream : `${stream}.${id}`;
}

/** Reads `Last-Event-ID`. Whether there is such a stream is another question. */
export function readEventId(text: string): EventCursor {
  const dot = text.indexOf('.');
  return dot < 0 ? { stream: text } : { stream: text.slice(0, dot), id: text.slice(dot + 1) };
}
