import { singleProcess } from '../../core/test/fixtures/single-process.js';
import type { Endpoint, Sink } from '@sigil/core/transport';

/** A message as a scripted server sees it. */
export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params: Record<string, unknown>;
}

/** Answers one message: `send` puts any message on the wire. */
export type Script = (message: Message, send: (message: object) => void) => void;

/** A server that answers as a test says, for what no real server does. Keeps what it received. */
export class ScriptedEndpoint implements Endpoint {
  readonly info = { name: 'scripted', version: '1.0.0' };
  readonly logger = console;
  readonly backend = singleProcess;
  readonly received: Message[] = [];

  constructor(private readonly script: Script) {}

  get endpoint(): Endpoint {
    return this;
  }

  connect(sink?: Sink): ReturnType<Endpoint['connect']> {
    const send = (message: object): void => sink?.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
    return {
      initialized: false,
      version: undefined,
      resumes: false,
      batches: false,
      receive: (message) => {
        this.received.push(message as Message);
        this.script(message as Message, send);
        return undefined;
      },
      renew: () => undefined,
      sessionState: undefined,
      restore: () => false,
      announceAll: () => undefined,
      hold: () => () => undefined,
      drain: () => Promise.resolve(),
      close: () => undefined,
    };
  }
}
