import { setTimeout as delay } from 'node:timers/promises';
import { Service, Tool, ToolContext } from '@sigil/core';

const WORK_MS = 100;

/** A tool that closes the stream of its call while it works. The client reconnects to receive the result. */
@Service()
export class ReconnectionTool {
  @Tool({ description: 'Closes the stream of its call; the client reconnects to receive the result' })
  async testReconnection(ctx: ToolContext): Promise<string> {
    ctx.closeStream();
    await delay(WORK_MS, undefined, { signal: ctx.signal });
    return 'The client has come back for this result';
  }
}
