import { Arg, ProtocolError, Service, TaskSupport, Tool, ToolContext, ToolError } from '@sigil/core';
import { pause } from './pause.js';

/**
 * Tools that show how tasks end: with success, a tool error or a JSON-RPC error. One of the tools never runs as a task.
 */
@Service()
export class JobTools {
  @Tool({ description: 'Greets somebody at once; never a task', readOnly: true })
  greet(@Arg('name') name: string): string {
    return `Hello, ${name}!`;
  }

  @Tool({ description: 'Computes for some seconds, as a task if the client supports tasks' })
  @TaskSupport('optional')
  async slowCompute(
    @Arg('seconds', { minimum: 0, maximum: 3600 }) seconds: number,
    @Arg('label', { default: 'compute' }) label: string,
    ctx: ToolContext,
  ): Promise<string> {
    for (let second = 0; second < seconds; second += 1) {
      ctx.progress(second, seconds, `${label}: ${second} of ${seconds} seconds`);
      await pause(Math.min(1, seconds - second) * 1000, ctx.signal);
    }
    return `${label}: computed for ${seconds} seconds`;
  }

  @Tool({ description: 'Always runs as a task: works for a second, and then fails' })
  @TaskSupport('required')
  async failingJob(ctx: ToolContext): Promise<never> {
    await pause(1000, ctx.signal);
    throw new ToolError('The job has failed, as it always does');
  }

  @Tool({ description: 'Ends with a JSON-RPC error' })
  @TaskSupport('optional')
  protocolErrorJob(): never {
    throw new ProtocolError(-32603, 'The job broke down');
  }
}
