import { context, propagation, type Span } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { type DataPoint, type Histogram, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** Has what a program registers once: contexts that follow promises, and the W3C headers. */
export function registerApi(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
  propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
}

class Reader extends MetricReader {
  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

/** Keeps the spans and metrics of one app. */
export class Recorder {
  readonly #exporter = new InMemorySpanExporter();
  readonly #reader = new Reader();
  readonly tracerProvider: BasicTracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(this.#exporter)],
  });
  readonly meterProvider: MeterProvider = new MeterProvider({ readers: [this.#reader] });

  /** The spans that have ended, in that order. */
  get spans(): readonly ReadableSpan[] {
    return this.#exporter.getFinishedSpans();
  }

  /** The one span of that name. */
  span(name: string): ReadableSpan {
    const [found, ...more] = this.spans.filter((span) => span.name === name);
    if (!found || more.length > 0)
      throw new Error(
        `${more.length + (found ? 1 : 0)} spans have the name ${name}: ${this.spans.map((each) => each.name).join(', ')}`,
      );
    return found;
  }

  /** What has been measured by a metric. */
  async points(name: string): Promise<readonly DataPoint<number | Histogram>[]> {
    const { resourceMetrics } = await this.#reader.collect();
    const all = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
    return all
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(
        ({ dataPoints }): readonly DataPoint<number | Histogram>[] =>
          dataPoints as DataPoint<number | Histogram>[],
      );
  }

  clear(): void {
    this.#exporter.reset();
  }

  /** Begins a span, as a client or an instrumented library does. */
  begin(name: string): Span {
    return this.tracerProvider.getTracer('test').startSpan(name);
  }
}
