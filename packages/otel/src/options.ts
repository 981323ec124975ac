import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { CallInfo } from '@sigil/core';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';

/**
 * Changes arguments or a result before they are recorded, for example to remove secrets.
 *
 * @param value the arguments from the client, or the result for the client.
 * @param call the call that the value belongs to.
 * @returns the value to record; `undefined` to record nothing.
 */
export type Redactor = (value: unknown, call: CallInfo) => unknown;

/** The delay of the event loop since the last reset, in nanoseconds. */
export interface EventLoopDelay {
  readonly max: number;
  /** A percentile of the delay. @param percentile the percentile, above 0 and at most 100. */
  percentile(percentile: number): number;
  /** Deletes all measurements, so that later percentiles only include new ones. */
  reset(): void;
}

/** Options of `telemetry()`: the recorded telemetry and its destinations. */
export interface TelemetryOptions {
  /** Creates the spans. @default the provider registered with the OpenTelemetry API */
  readonly tracerProvider?: TracerProvider;
  /** Creates the metrics. @default the provider registered with the OpenTelemetry API when `telemetry` is called */
  readonly meterProvider?: MeterProvider;
  /**
   * Records arguments of tools and prompts on spans: unchanged, or as the function returns them. Arguments can contain
   * secrets.
   *
   * @default false
   */
  readonly recordInputs?: boolean | Redactor;
  /**
   * Records results of tools on spans: unchanged, or as the function returns them. Results can contain secrets.
   * @default false
   */
  readonly recordOutputs?: boolean | Redactor;
  /**
   * Measures the delay of the event loop. On Node, pass the result of `monitorEventLoopDelay()` of `node:perf_hooks`
   * after calling its `enable()`.
   *
   * @default undefined: not measured
   */
  readonly eventLoopDelay?: EventLoopDelay;
  /**
   * Called after the app has closed and before its process ends, to flush telemetry. The function should call
   * `shutdown()` of your providers.
   * @default nothing
   */
  readonly shutdown?: () => Promise<unknown>;
  /**
   * Adds the URIs of resources to the names of spans and to metrics. Use it only if the server has few resources.
   *
   * @default false
   */
  readonly resourceUris?: boolean;
}

const OPTIONS: OptionTable<TelemetryOptions> = {
  tracerProvider: true,
  meterProvider: true,
  recordInputs: true,
  recordOutputs: true,
  eventLoopDelay: true,
  resourceUris: true,
  shutdown: true,
};

/** Refuses unknown options. */
export function checkOptions(options: TelemetryOptions): void {
  OptionChecks.requireObject('telemetry', options);
  const checks = new OptionChecks('telemetry');
  checks.known(options, OPTIONS);
  if (options.shutdown !== undefined && typeof options.shutdown !== 'function')
    checks.refuse('shutdown', 'it must be a function', 'write shutdown: () => provider.shutdown()');
  checks.throwIfAny();
}
