export { type FastifyOptions, fastifyPlugin } from './plugin.js';
