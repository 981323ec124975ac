import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { App } from '@sigil/core';
import type { MetricsOptions } from '@sigil/http';
import { telemetry } from '@sigil/otel';
import { options } from './app.js';

/**
 * Measures every call, and traces it if the variable `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector. It returns the
 * options for `http({ metrics })`, for Prometheus.
 */
export async function observe(app: App): Promise<MetricsOptions> {
  const resource = resourceFromAttributes({
    'service.name': process.env['OTEL_SERVICE_NAME'] || options.name,
    'service.version': options.version,
  });
  // It does not listen by itself: the server has a path for it.
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const meterProvider = new MeterProvider({ resource, readers: [exporter] });
  const traces = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ? await sendTraces(resource) : undefined;
  // High if a handler computes without a break, because all other calls wait then.
  const eventLoopDelay = monitorEventLoopDelay();
  eventLoopDelay.enable();
  telemetry(app, { meterProvider, eventLoopDelay, shutdown: async () => traces?.shutdown() });
  return { path: '/metrics', handler: exporter.getMetricsRequestHandler.bind(exporter) };
}

async function sendTraces(resource: Resource): Promise<{ shutdown(): Promise<void> }> {
  // Loaded only here: nobody else needs to wait for it at the start.
  const [{ OTLPTraceExporter }, { BatchSpanProcessor, NodeTracerProvider }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/sdk-trace-node'),
  ]);
  const spanProcessors = [new BatchSpanProcessor(new OTLPTraceExporter())];
  const provider = new NodeTracerProvider({ resource, spanProcessors });
  provider.register();
  return provider;
}
