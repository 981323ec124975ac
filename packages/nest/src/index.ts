export { SigilModule } from './sigil-module.js';
export {
  getAppToken,
  InjectApp,
  type SigilModuleAsyncOptions,
  type SigilModuleExtras,
  type SigilModuleOptions,
} from './options.js';
export type { HttpRequest } from './call.js';
