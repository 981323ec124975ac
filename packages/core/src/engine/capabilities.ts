import type { ServerCapabilities } from '../protocol/capabilities.js';
import type { Registry } from '../registry/registry.js';

/** What a server offers, read off what is registered. */
export function deriveCapabilities(registry: Registry): ServerCapabilities {
  const hasResources = registry.resources.everUsed || registry.templates.everUsed;
  const hasCompletions = [...registry.prompts, ...registry.templates].some(
    (entry) => entry.completers.size > 0,
  );
  return {
    ...(registry.tools.everUsed ? { tools: { listChanged: true } } : {}),
    ...(hasResources ? { resources: { listChanged: true, subscribe: true } } : {}),
    ...(registry.prompts.everUsed ? { prompts: { listChanged: true } } : {}),
    ...(hasCompletions ? { completions: {} } : {}),
    // Any handler may log through its context.
    logging: {},
  };
}
