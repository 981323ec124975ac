import type { MaybePromise } from './maybe-promise.js';

/**
 * Something that can be measured at any time, such as how many sessions are open. It is measured only when telemetry collects.
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
  /** Names the metric. The values of gauges with the same name are added. */
  readonly name: string;
  readonly description: string;
  /** The unit in UCUM notation, such as `{session}`. */
  readonly unit: string;
  /**
   * Whether it counts events since the process began, so that it never decreases.
   * @default false
   */
  readonly isCounter?: boolean;
  /** Measures it now: one value, or one for each set of attributes. */
  read(): MaybePromise<readonly GaugeReading[]>;
}

/** One value of a gauge. */
export interface GaugeReading {
  readonly value: number;
  readonly attributes?: Readonly<Record<string, string>>;
}
