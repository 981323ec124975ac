// What a program tells of itself while `sigil build` makes one file of it.
export {
  type AppDescription,
  type BuildDescription,
  describeBuild,
  type DiscoveredFiles,
  type PlanText,
  type ValidatorText,
} from './server/describe-build.js';
