import type { Quota } from '../../transport/quota.js';
import type { EngineOptions } from '../engine-options.js';
import type { MethodHandler } from '../exchange.js';
import type { Capabilities } from '../capabilities.js';
import type { Extensions } from '../extensions.js';
import type { Listeners } from '../listeners.js';
import type { Rechecks } from '../rechecks.js';
import type { Subscribers } from '../subscribers.js';
import { completionMethods } from './completion.js';
import { lifecycleMethods } from './lifecycle.js';
import { listenMethods } from './listen.js';
import { loggingMethods } from './logging.js';
import { promptMethods } from './prompts.js';
import { resourceMethods } from './resources.js';
import { subscriptionMethods } from './subscriptions.js';
import { toolMethods } from './tools.js';

/** Every method this server can serve; which of them a client may call is for its revision to say. */
export function allMethods(
  options: EngineOptions,
  subscribers: Subscribers,
  listeners: Listeners,
  extensions: Extensions,
  capabilities: Capabilities,
  rechecks: Rechecks,
  sessionBytes: Quota,
): ReadonlyMap<string, MethodHandler> {
  const groups = [
    lifecycleMethods(options, capabilities, sessionBytes),
    listenMethods(options, capabilities, listeners, subscribers, extensions, rechecks),
    toolMethods(options, extensions),
    resourceMethods(options),
    promptMethods(options),
    completionMethods(options),
    loggingMethods(),
    subscriptionMethods(options, subscribers, rechecks),
  ];
  return new Map([...extensions.methods, ...groups.flatMap((group) => Object.entries(group))]);
}
