import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { CallInfo } from '@sigil/core';
import { OptionChecks, type OptionTable } from '@sigil/core/internal';

/**
 * Returns the recorded form of arguments or of a result, such as one without secrets.
 *
 * @param value data from the client, or for it.
 * @param call whose it is.
 * @returns the recorded form; `undefined` for nothing.
 */
export type Redactor = (value: unknown, call: CallInfo) => unknown;

/** How late the event loop was, in nanoseconds, since it was last reset. */
export interface EventLoopDelay {
  readonly max: number;
  /** How late it was at most in a share of cases. @param percentile the share, above 0 and at most 100. */
  percentile(percentile: number): number;
  /** Clears the measurements so far. */
  reset(): void;
}

/** The recorded telemetry, and its destinations. */
export interface TelemetryOptions {
  /** Creates the spans. @default the provider registered with the OpenTelemetry API */
  readonly tracerProvider?: TracerProvider;
  /** Creates the metrics. @default the provider registered with the OpenTelemetry API when `telemetry` is called */
  readonly meterProvider?: MeterProvider;
  /** Records arguments of tools and prompts on spans, as they are or as the function gives them. They may have secrets. @default false */
  readonly recordInputs?: boolean | Redactor;
  /** Records results of tools on spans, as they are or as the function gives them. They may have secrets. @default false */
  readonly recordOutputs?: boolean | Redactor;
  /**
   * Measures the delay of the event loop: on Node, the enabled result of `monitorEventLoopDelay()` of
   * `node:perf_hooks`. @default nothing
   */
  readonly eventLoopDelay?: EventLoopDelay;
  /**
   * Called after the app has closed, before its process ends: to flush, as `shutdown()` of providers does.
   * @default nothing
   */
  readonly shutdown?: () => Promise<unknown>;
  /** Puts URIs of resources in names of spans and in metrics, for servers that have few. @default false */
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

/** Refuses options that there are not. */
export function checkOptions(options: TelemetryOptions): void {
  OptionChecks.requireObject('telemetry', options);
  const checks = new OptionChecks('telemetry');
  checks.known(options, OPTIONS);
  if (options.shutdown !== undefined && typeof options.shutdown !== 'function')
    checks.refuse('shutdown', 'it must be a function', 'write shutdown: () => provider.shutdown()');
  checks.throwIfAny();
}
