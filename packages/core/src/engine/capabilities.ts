import type { ServerCapabilities } from '../protocol/capabilities.js';
import type { Registry } from '../registry/registry.js';

/** What a server offers, read off what is registered. */
export function deriveCapabilities(registry: Registry): ServerCapabilities {
  const hasResources = registry.resources.size > 0 || registry.templates.size > 0;
  const hasCompletions = [...registry.prompts, ...registry.templates].some(
    (entry) => entry.completers.size > 0,
  );
  return {
    ...(registry.tools.size > 0 ? { tools: { listChanged: true } } : {}),
    ...(hasResources ? { resources: { listChanged: true, subscribe: true } } : {}),
    ...(registry.prompts.size > 0 ? { prompts: { listChanged: true } } : {}),
    ...(hasCompletions ? { completions: {} } : {}),
    // Any handler may log through its context.
    logging: {},
  };
}
