import type { ServerCapabilities } from '../../protocol/protocol.js';
import type { Registry } from '../../registry/registry.js';
import type { Extensions } from '../extensions.js';
import type { Revision } from '../revisions/index.js';

/** The capabilities of a server, derived from its registry. */
function deriveCapabilities(registry: Registry): ServerCapabilities {
  return {
    ...(registry.tools.everUsed ? { tools: { listChanged: true } } : {}),
    ...(registry.hasResources ? { resources: { listChanged: true, subscribe: true } } : {}),
    ...(registry.prompts.everUsed ? { prompts: { listChanged: true } } : {}),
    ...(registry.hasCompletions ? { completions: {} } : {}),
    // Any handler may log through its context.
    logging: {},
  };
}

/** The capabilities of a server. They are computed again only after the registry has changed. */
export class Capabilities {
  readonly #derived = new Map<Revision, ServerCapabilities>();
  #version = -1;

  constructor(
    private readonly registry: Registry,
    private readonly extensions: Extensions,
    /** Capabilities outside the specification, as the author defines them. */
    private readonly experimental: ServerCapabilities['experimental'],
  ) {}

  /**
   * Returns the capabilities for clients of a revision. The returned object stays the same until the capabilities
   * change, so that sessions share the object.
   */
  of(revision: Revision): ServerCapabilities {
    const { tools, prompts, resources, templates } = this.registry;
    const version = tools.version + prompts.version + resources.version + templates.version;
    if (version !== this.#version) this.#derived.clear();
    this.#version = version;
    const known = this.#derived.get(revision) ?? this.#derive(revision);
    this.#derived.set(revision, known);
    return known;
  }

  #derive(revision: Revision): ServerCapabilities {
    const extensions = this.extensions.settings(revision);
    return revision.capabilities({
      ...deriveCapabilities(this.registry),
      ...(extensions ? { extensions } : {}),
      ...(this.experimental ? { experimental: this.experimental } : {}),
    });
  }
}
