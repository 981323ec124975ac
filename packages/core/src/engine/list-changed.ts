import { NOTIFICATIONS } from '../protocol/protocol.js';
import type { Change } from '../registry/registry.js';

/** The notification that says that a list has changed. */
export const LIST_CHANGED: Readonly<Record<Change, string>> = {
  tools: NOTIFICATIONS.toolsListChanged,
  prompts: NOTIFICATIONS.promptsListChanged,
  resources: NOTIFICATIONS.resourcesListChanged,
};
