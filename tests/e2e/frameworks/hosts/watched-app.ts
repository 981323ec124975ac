import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { type App, createApp, defineTool } from '@sigil/core';
import { telemetry } from '@sigil/otel';

/** Where a program tells what its app has told those who watch it. */
export const SEEN_AT = '/seen';

/** How long the sink of the audit takes, in milliseconds. */
const SINK_MS = 50;

class Reader extends MetricReader {
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/** What watchers of one app have been told, in the memory of its process. */
class Seen {
  readonly calls: unknown[] = [];
  readonly log: unknown[] = [];
  readonly audit: unknown[] = [];
  readonly spans = new InMemorySpanExporter();
  readonly reader = new Reader();

  /** All of it as JSON. */
  async answer(): Promise<string> {
    const { calls, log, audit, spans, reader } = this;
    const { resourceMetrics } = await reader.collect();
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return JSON.stringify({
      calls,
      log,
      audit,
      spans: spans.getFinishedSpans().map(({ name, attributes }) => ({ name, attributes })),
      metrics: metrics.map(({ descriptor: { name }, dataPoints }) => ({
        name,
        counts: dataPoints.map(({ value }) => (typeof value === 'object' ? value.count : value)),
      })),
    });
  }
}

export const seen = new Seen();

/** Makes an app that everything watches which an operator may turn on. */
export async function createWatchedApp(): Promise<App> {
  const keep =
    (level: string) =>
    (...line: unknown[]): void =>
      void seen.log.push({ level, line });
  const app = await createApp({
    name: 'watched',
    version: '1.0.0',
    definitions: [defineTool({ name: 'hello', handle: () => 'Hello' })],
    logger: { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') },
    log: { calls: 'info' },
    limits: { rates: [{ per: 'app', limit: 3, windowMs: 60_000 }] },
    audit: {
      sink: async (record) => {
        await new Promise((resolve) => setTimeout(resolve, SINK_MS));
        seen.audit.push(record);
      },
    },
  });
  app.on('call', ({ method, name, outcome, refusedBy }) =>
    seen.calls.push({ method, name, outcome, refusedBy }),
  );
  telemetry(app, {
    tracerProvider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(seen.spans)] }),
    meterProvider: new MeterProvider({ readers: [seen.reader] }),
  });
  return app;
}
