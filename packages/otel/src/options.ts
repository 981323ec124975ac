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

/** Measurements of the event loop's delay since the last reset, in nanoseconds. */
export interface EventLoopDelay {
  readonly max: number;
  /**
   * Returns a percentile of the measured delays, in nanoseconds: for 99, it is the delay that 99 % of the measurements
   * do not exceed.
   * @param percentile the percentile, above 0 and at most 100.
   */
  percentile(percentile: number): number;
  /** Deletes all measurements, so that later percentiles only include new ones. */
  reset(): void;
}

/** Options of `telemetry()`: the recorded telemetry and its destinations. */
export interface TelemetryOptions {
  /** Creates the spans. @default the provider registered with the OpenTelemetry API */
  readonly tracerProvider?: TracerProvider;
  /** Creates the metrics. @default the provider that the OpenTelemetry API knows when `telemetry` is called */
  readonly meterProvider?: MeterProvider;
  /**
   * Records arguments of tools and prompts on spans. With `true`, they are recorded unchanged; with a function, its
   * return value is recorded. Arguments can contain secrets.
   *
   * @default false
   */
  readonly recordInputs?: boolean | Redactor;
  /**
   * Records results of tools on spans. With `true`, they are recorded unchanged; with a function, its return value is
   * recorded. Results can contain secrets.
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
   * A function that is called when the app has closed, before the process ends. It should call `shutdown()` of your
   * tracer and meter providers, so that they send the remaining telemetry.
   * @default nothing
   */
  readonly shutdown?: () => Promise<unknown>;
  /**
   * Whether the names of spans and the attributes of metrics contain the URIs of resources. Use it only if the server
   * has few resources, because metrics are recorded separately for each URI.
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
