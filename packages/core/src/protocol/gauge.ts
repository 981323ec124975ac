import type { MaybePromise } from './maybe-promise.js';

/**
 * A value that can be measured at any time, such as the number of open sessions. The value is measured only when
 * telemetry collects metrics.
 *
 * @example
 * ```ts
 * const sessions: Gauge = {
 *   name: 'acme.sockets.active',
 *   description: 'How many sockets are open.',
 *   unit: '{socket}',
 *   read: () => [{ value: sockets.size }],
 * };
 * ```
 */
export interface Gauge {
  /** The name of the metric. If several gauges have the same name, the metric is the sum of their values. */
  readonly name: string;
  readonly description: string;
  /** The unit in UCUM notation, such as `{session}`. */
  readonly unit: string;
  /**
   * Whether the gauge counts events since the process began, so that its value never decreases.
   * @default false
   */
  readonly isCounter?: boolean;
  /** Measures the gauge now. Returns one value, or one value for each set of attributes. */
  read(): MaybePromise<readonly GaugeReading[]>;
}

/** One value of a gauge. */
export interface GaugeReading {
  readonly value: number;
  readonly attributes?: Readonly<Record<string, string>>;
}
