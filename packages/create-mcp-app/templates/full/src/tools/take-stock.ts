import { Limit, Service, TaskSupport, Tool, ToolContext } from '@sigil/core';
import { type ShelfCount, StockReport } from '../dto/stock-report.js';
import { Catalog } from '../services/catalog.js';
import { Shelves } from '../services/shelves.js';

@Service()
export class TakeStock {
  constructor(
    private readonly catalog: Catalog,
    private readonly shelves: Shelves,
  ) {}

  // Clients that support tasks get a task at once, and fetch the result later. All other clients wait for the result.
  @Tool({
    description: 'Counts the copies on every shelf',
    readOnly: true,
    openWorld: false,
    output: StockReport,
  })
  @TaskSupport('optional')
  // Each caller can start six calls per minute. Two calls run at once; further calls wait for up to ten seconds.
  @Limit({ rate: '6/min', concurrency: 2, queueMs: 10_000 })
  async takeStock(ctx: ToolContext): Promise<StockReport> {
    const subjects = this.catalog.subjects();
    const shelves: ShelfCount[] = [];
    for (const subject of subjects) {
      shelves.push({ subject, copies: await this.shelves.count(subject, ctx.signal) });
      ctx.progress(shelves.length, subjects.length, `Counted ${subject}`);
    }
    return { shelves, total: shelves.reduce((sum, { copies }) => sum + copies, 0) };
  }
}
