import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { App } from '@sigil/core';
import type { MetricsOptions } from '@sigil/http';
import { telemetry } from '@sigil/otel';
import { options } from './app.js';

/**
 * Measures every call. Also traces every call if the variable `OTEL_EXPORTER_OTLP_ENDPOINT` names a collector.
 *
 * @returns the options for `http({ metrics })`, which serve the metrics to Prometheus.
 */
export async function observe(app: App): Promise<MetricsOptions> {
  const resource = resourceFromAttributes({
    'service.name': process.env['OTEL_SERVICE_NAME'] || options.name,
    'service.version': options.version,
  });
  // The exporter starts no server, because the MCP server serves the metrics at a path.
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const meterProvider = new MeterProvider({ resource, readers: [exporter] });
  const traces = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ? await sendTraces(resource) : undefined;
  // This delay is high if a handler computes for a long time, because all other calls then wait.
  const eventLoopDelay = monitorEventLoopDelay();
  eventLoopDelay.enable();
  telemetry(app, { meterProvider, eventLoopDelay, shutdown: async () => traces?.shutdown() });
  return { path: '/metrics', handler: exporter.getMetricsRequestHandler.bind(exporter) };
}

async function sendTraces(resource: Resource): Promise<{ shutdown(): Promise<void> }> {
  // Imported only if traces are sent, so that the server starts faster without them.
  const [{ OTLPTraceExporter }, { BatchSpanProcessor, NodeTracerProvider }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/sdk-trace-node'),
  ]);
  const spanProcessors = [new BatchSpanProcessor(new OTLPTraceExporter())];
  const provider = new NodeTracerProvider({ resource, spanProcessors });
  provider.register();
  return provider;
}
