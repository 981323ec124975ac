/** A message as it was on the wire. */
export interface WireMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Tappable {
  send(message: unknown, ...more: unknown[]): Promise<void>;
  onmessage?: ((message: unknown, ...more: unknown[]) => void) | undefined;
}

/** Listens in on the transport of a client, and has it ask for a revision. To be made before the client connects. */
export class WireTap {
  readonly sent: WireMessage[] = [];
  readonly received: WireMessage[] = [];

  constructor(transport: object, protocolVersion: string) {
    const tapped = transport as Tappable;
    const send = tapped.send.bind(tapped);
    tapped.send = (message, ...more) => {
      const asked = message as WireMessage;
      const passedOn =
        asked.method === 'initialize' ? { ...asked, params: { ...asked.params, protocolVersion } } : asked;
      this.sent.push(passedOn);
      return send(passedOn, ...more);
    };
    // Both clients call what they find here before they look at a message themselves.
    tapped.onmessage = (message) => this.received.push(message as WireMessage);
  }

  /** The parameters of what came of one notification or request, in the order it came. */
  of(method: string): Readonly<Record<string, unknown>>[] {
    return this.received.flatMap((message) => (message.method === method ? [message.params ?? {}] : []));
  }

  /** The id of the first request sent that has a text somewhere in its parameters. */
  idOf(text: string): number | string | undefined {
    return this.sent.find(({ params }) => JSON.stringify(params ?? {}).includes(text))?.id;
  }

  /** What answered a request: none, one, or, were the server wrong, several. */
  answersTo(id: number | string | undefined): WireMessage[] {
    return this.received.filter((message) => message.method === undefined && message.id === id);
  }
}
