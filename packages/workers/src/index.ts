export { type ExecutionContext, type Worker, worker } from './worker.js';
