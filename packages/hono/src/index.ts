export { type HonoHandler, honoHandler, type HonoOptions } from './hono-handler.js';
