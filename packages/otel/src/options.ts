import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { CallInfo } from '@sigil/core';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';

/**
 * Returns the form of arguments or of a result to record, for example without secrets.
 *
 * @param value the arguments from the client, or the result for the client.
 * @param call the call that the value belongs to.
 * @returns the form to record; `undefined` to record nothing.
 */
export type Redactor = (value: unknown, call: CallInfo) => unknown;

/** The delay of the event loop since the last reset, in nanoseconds. */
export interface EventLoopDelay {
  readonly max: number;
  /** A percentile of the delay. @param percentile the percentile, above 0 and at most 100. */
  percentile(percentile: number): number;
  /** Clears the measurements so far. */
  reset(): void;
}

/** Options of `telemetry()`: the recorded telemetry and its destinations. */
export interface TelemetryOptions {
  /** Creates the spans. @default the provider registered with the OpenTelemetry API */
  readonly tracerProvider?: TracerProvider;
  /** Creates the metrics. @default the provider registered with the OpenTelemetry API when `telemetry` is called */
  readonly meterProvider?: MeterProvider;
  /**
   * Records arguments of tools and prompts on spans: unchanged, or in the form that the function returns. They may
   * contain secrets.
   *
   * @default false
   */
  readonly recordInputs?: boolean | Redactor;
  /**
   * Records results of tools on spans: unchanged, or in the form that the function returns. They may contain secrets.
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
   * Called after the app has closed and before its process ends, to flush telemetry. Call `shutdown()` of your
   * providers here.
   * @default nothing
   */
  readonly shutdown?: () => Promise<unknown>;
  /**
   * Puts URIs of resources into names of spans and into metrics, for servers that have few resources.
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
