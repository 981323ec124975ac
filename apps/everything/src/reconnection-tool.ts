import { setTimeout as delay } from 'node:timers/promises';
import { Service, Tool, ToolContext } from '@sigil/core';

const WORK_MS = 100;

/** A tool that does not keep its client connected while it works. */
@Service()
export class ReconnectionTool {
  @Tool({ description: 'Lets the connection go, works on, and has its result fetched' })
  async testReconnection(ctx: ToolContext): Promise<string> {
    ctx.closeStream();
    await delay(WORK_MS, undefined, { signal: ctx.signal });
    return 'Whoever reads this has come back for it';
  }
}
