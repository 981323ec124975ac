// What a server promises to its clients, and why it shows or hides something.
export {
  arrangeManifest,
  type Manifest,
  type ManifestParts,
  manifestOf,
  type ManifestPrompt,
  type ManifestResource,
  type ManifestTemplate,
  type ManifestTool,
} from './server/manifest.js';
export { explain, type Explanation } from './server/explain.js';
