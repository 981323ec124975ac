import { metrics } from '@opentelemetry/api';
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import { Arg, createApp, Service, Tool } from '@sigil/core';
import { telemetry } from '@sigil/otel';

/** The smallest server there is; `SPANS` says which spans are recorded, `all` or `none`, if it is watched at all. */
@Service()
class Adder {
  @Tool({ name: 'add', description: 'Add two numbers' })
  add(@Arg('a') a: number, @Arg('b') b: number): { sum: number } {
    return { sum: a + b };
  }
}

/** Sends nothing anywhere: what is measured is what calls pay. */
const nowhere: SpanExporter & PushMetricExporter = {
  export: (_batch: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

const app = await createApp({ name: 'bench', version: '1.0.0', services: [Adder] });
const { SPANS: spans } = process.env;
if (spans !== undefined) {
  const spanProcessors = [new BatchSpanProcessor(nowhere)];
  const recorded = spans === 'all' ? { spanProcessors } : { sampler: new AlwaysOffSampler() };
  new NodeTracerProvider(recorded).register();
  const readers = [new PeriodicExportingMetricReader({ exporter: nowhere })];
  metrics.setGlobalMeterProvider(new MeterProvider({ readers }));
  telemetry(app);
}
await app.run();
