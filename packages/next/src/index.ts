export { type NextHandlers, nextHandlers, type RouteHandler } from './next-handlers.js';
