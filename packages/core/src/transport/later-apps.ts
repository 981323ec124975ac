import type { MaybePromise } from '../protocol/maybe-promise.js';

/** What stands for a platform while an app is made to be described. */
export interface PlatformStandIn {
  /** Text by name, such as variables of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whatever is asked of it, it has it, and does nothing. */
  readonly anything: unknown;
}

/** Makes an app that is not made until the platform gives what it is made of. */
export type MakeLaterApp = (platform: PlatformStandIn) => MaybePromise<unknown>;

/** A program may hold the framework in another form than the one that asks it. */
const LATER: unique symbol = Symbol.for('sigil:later-apps');
const state = globalThis as { [LATER]?: MakeLaterApp[] };

/**
 * Tells `sigil build` of an app that is made when its first request comes, so that it is prepared as others are. Does nothing elsewhere.
 *
 * @param make is called while the program is built; the app that it makes has no services, and is not served.
 * @example
 * ```ts
 * const shop = (env: Readonly<Record<string, string | undefined>>) =>
 *   createApp({ name: env.NAME ?? 'shop', version: '1.0.0', services: [Shop] });
 * announceLaterApp(({ env }) => shop(env));
 * ```
 */
export function announceLaterApp(make: MakeLaterApp): void {
  state[LATER]?.push(make);
}

/** From now on, apps that are made later are announced in the list that is returned. */
export function collectLaterApps(): readonly MakeLaterApp[] {
  return (state[LATER] = []);
}
