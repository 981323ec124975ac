// Exports for programs that describe themselves while `sigil build` bundles it.
export {
  type AppDescription,
  type BuildDescription,
  type BuildListener,
  describeBuild,
  type DiscoveredFiles,
} from './server/describe-build.js';
export type { WrittenValidator } from './schema/validate/standalone.js';
