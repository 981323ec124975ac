export { bullmq, type BullmqOptions } from './bullmq-executor.js';
