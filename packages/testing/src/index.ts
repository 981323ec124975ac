// Connecting
export { connect } from './connect.js';
export type { Answers, ConnectOptions } from './connect-options.js';

// An app and a client in one
export { testApp, TestApp, type LogLine, type TestAppOptions } from './test-app.js';

// The client
export { TestClient } from './test-client.js';
export type { CallOptions, Progress } from './call-options.js';
export type { Notification } from './notification-log.js';
export type { DiscoverResult, ServerFacts } from './server-facts.js';
export type { Listening, ListenFilter } from './listen.js';

// What travels
export type { ElicitRequest } from './elicit-request.js';
export type { ResourceDescriptor, ResourceTemplateDescriptor } from './resource-descriptors.js';
export type { CompletionReference } from './completion-reference.js';

// Reading results
export { textOf } from './text-of.js';
