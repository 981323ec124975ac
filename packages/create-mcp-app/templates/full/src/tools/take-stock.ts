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

  // Clients that know tasks get a handle at once and look for the result later; all others wait for it.
  @Tool({
    description: 'Counts the copies on every shelf',
    readOnly: true,
    openWorld: false,
    output: StockReport,
  })
  @TaskSupport('optional')
  // It takes long: each caller may begin six of them a minute, and two run at once; the others wait for their turn, up to ten seconds.
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
