/** Method names of the protocol, by direction. */
export const METHODS = {
  initialize: 'initialize',
  discover: 'server/discover',
  ping: 'ping',
  setLevel: 'logging/setLevel',
  listTools: 'tools/list',
  callTool: 'tools/call',
  listResources: 'resources/list',
  listTemplates: 'resources/templates/list',
  readResource: 'resources/read',
  subscribe: 'resources/subscribe',
  unsubscribe: 'resources/unsubscribe',
  listen: 'subscriptions/listen',
  listPrompts: 'prompts/list',
  getPrompt: 'prompts/get',
  complete: 'completion/complete',
  /** Sent by the server to the client. */
  createMessage: 'sampling/createMessage',
  elicit: 'elicitation/create',
  listRoots: 'roots/list',
} as const;

/** Notification names of the protocol. */
export const NOTIFICATIONS = {
  initialized: 'notifications/initialized',
  cancelled: 'notifications/cancelled',
  progress: 'notifications/progress',
  message: 'notifications/message',
  rootsListChanged: 'notifications/roots/list_changed',
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
  resourceUpdated: 'notifications/resources/updated',
  acknowledged: 'notifications/subscriptions/acknowledged',
  elicitationComplete: 'notifications/elicitation/complete',
} as const;

/** The member of `params` that says what a request is about, by method; the header `Mcp-Name` repeats it. */
export const NAMED_BY: ReadonlyMap<string, string> = new Map([
  [METHODS.callTool, 'name'],
  [METHODS.getPrompt, 'name'],
  [METHODS.readResource, 'uri'],
]);
