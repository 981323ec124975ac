// Connecting
export { connect, type ConnectOptions } from './connect.js';
export type { Answers, ElicitRequest } from './answers.js';

// An app and a client in one
export { testApp, TestApp, type LogLine, type TestAppOptions } from './test-app.js';

// The client
export { textOf } from '@sigil/core/content';
export {
  TestClient,
  type CompletionReference,
  type DiscoverResult,
  type ResourceDescriptor,
  type ResourceTemplateDescriptor,
  type ServerDetails,
} from './test-client.js';
export type { CallOptions, ProgressUpdate } from './caller.js';
export type { ReceivedNotification } from './notification-log.js';
export type { Subscription, ListenFilter } from './listen.js';
