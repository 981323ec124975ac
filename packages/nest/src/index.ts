export { SigilModule } from './sigil-module.js';
export type { RouteOptions, SigilModuleAsyncOptions, SigilModuleOptions } from './options.js';
export type { HttpRequest } from './call.js';
