import { setTimeout as delay } from 'node:timers/promises';
import { Service, Tool, ToolContext } from '@sigil/core';

const STEP_MS = 50;

/** Tools that report progress and send log messages. */
@Service()
export class ProgressAndLogging {
  @Tool({ description: 'Logs three messages while it works' })
  async testToolWithLogging({ log, signal }: ToolContext): Promise<string> {
    log.info('Tool execution started');
    await delay(STEP_MS, undefined, { signal });
    log.info('Tool processing data');
    await delay(STEP_MS, undefined, { signal });
    log.info('Tool execution completed');
    return 'Tool with logging executed successfully';
  }

  @Tool({ description: 'Reports progress in three steps' })
  async testToolWithProgress(ctx: ToolContext): Promise<string> {
    ctx.progress(0, 100, 'Started');
    await delay(STEP_MS, undefined, { signal: ctx.signal });
    ctx.progress(50, 100, 'Half way');
    await delay(STEP_MS, undefined, { signal: ctx.signal });
    ctx.progress(100, 100, 'Done');
    return 'Tool with progress executed successfully';
  }

  @Tool({ description: 'Logs at several levels; the client receives the levels that it has requested' })
  testLoggingTool({ log }: ToolContext): string {
    log.debug('looking closely');
    log.info({ event: 'called', tool: 'test_logging_tool' }, 'everything');
    log.warning('nothing is wrong: this is an example of a warning');
    return 'Logged what the client asked to hear';
  }
}
