// The exports with which a program describes itself while `sigil build` bundles it.
export {
  type AppDescription,
  type BuildDescription,
  type BuildListener,
  describeBuild,
  type DiscoveredFiles,
} from './server/describe-build.js';
export type { WrittenValidator } from './schema/validate/standalone.js';
