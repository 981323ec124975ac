/** One event in a `text/event-stream`. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
  /** Milliseconds to wait before reconnecting. */
  readonly retry?: number;
}

/** Yields the events of a response as they arrive, until the response ends. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent, void, undefined> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A carriage return at the end may be the first half of a line break.
      const blocks = rest.split(/\r\n\r\n|\n\n|\r\r(?!$)/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield eventOf(block);
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(block: string): ServerEvent {
  const data: string[] = [];
  const fields: Record<string, string> = {};
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === 'data') data.push(value);
    else fields[name] = value;
  }
  const retry = Number(fields['retry']);
  return {
    event: fields['event'] ?? 'message',
    data: data.join('\n'),
    ...(fields['id'] === undefined ? {} : { id: fields['id'] }),
    ...(Number.isFinite(retry) ? { retry } : {}),
  };
}
