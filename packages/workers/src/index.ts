export { type DurableObjectClass, durableObject } from './durable-object.js';
export { type ExecutionContext, type Worker, worker } from './worker.js';
