// What a program tells of itself while `sigil build` makes one file of it.
export {
  type AppDescription,
  type BuildDescription,
  type BuildListener,
  describeBuild,
  type DiscoveredFiles,
} from './server/describe-build.js';
export type { WrittenValidator } from './schema/validate/standalone.js';
