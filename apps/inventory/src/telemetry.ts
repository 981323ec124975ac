import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { App, AppOptions } from '@sigil/core';
import { jsonLinesFile } from '@sigil/node';
import { telemetry } from '@sigil/otel';

/**
 * Returns the options for logs and audit. If `METRICS` is set, each call is logged. If `AUDIT_FILE` is set, audit
 * records are written to this file.
 */
export function watched(env: NodeJS.ProcessEnv): Pick<AppOptions, 'log' | 'audit'> {
  const { METRICS: metrics, AUDIT_FILE: file } = env;
  return {
    ...(metrics && { log: { calls: 'info', slowMs: 1_000 } }),
    ...(file && { audit: { sink: jsonLinesFile(file) } }),
  };
}

/**
 * Serves metrics for Prometheus on 127.0.0.1, at the port in `METRICS`. Sends traces to the collector at the URL in
 * `OTEL_EXPORTER_OTLP_ENDPOINT`. Does nothing if neither variable is set.
 *
 * @throws Error when another program already listens on the port.
 */
export async function observe(app: App, env: NodeJS.ProcessEnv): Promise<void> {
  const { METRICS: port, OTEL_EXPORTER_OTLP_ENDPOINT: collector } = env;
  if (!port && !collector) return;
  const resource = resourceFromAttributes({ 'service.name': env['OTEL_SERVICE_NAME'] || 'inventory' });
  if (collector) {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
    const spanProcessors = [new BatchSpanProcessor(new OTLPTraceExporter())];
    new NodeTracerProvider({ resource, spanProcessors }).register();
  }
  const exporter = new PrometheusExporter({
    host: '127.0.0.1',
    port: Number(port),
    preventServerStart: true,
  });
  if (port) await exporter.startServer();
  const meterProvider = new MeterProvider({ resource, readers: port ? [exporter] : [] });
  const eventLoopDelay = monitorEventLoopDelay();
  eventLoopDelay.enable();
  telemetry(app, { meterProvider, eventLoopDelay });
}
