import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { App, AppOptions } from '@sigil/core';
import { jsonLinesFile } from '@sigil/node';
import { telemetry } from '@sigil/otel';

/**
 * What of the options of an app has it watched: a line for each call where `METRICS` is set, and an audit in the file that `AUDIT_FILE` names.
 */
export function watched(env: NodeJS.ProcessEnv): Pick<AppOptions, 'log' | 'audit'> {
  const { METRICS: metrics, AUDIT_FILE: file } = env;
  return {
    ...(metrics && { log: { calls: 'info', slowMs: 1_000 } }),
    ...(file && { audit: { sink: jsonLinesFile(file) } }),
  };
}

/**
 * Serves metrics to Prometheus on this machine, at the port that `METRICS` names, and sends traces to the collector that
 * `OTEL_EXPORTER_OTLP_ENDPOINT` names. Without either it does nothing.
 *
 * @throws Error when another program listens at the port.
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
