// The manifest of a server, and explanations of visibility.
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
