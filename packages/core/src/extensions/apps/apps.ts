import type { ExtensionFactory, ExtensionHost } from '../../engine/extension.js';
import { UI, UI_MIME_TYPE } from '../../protocol/ui.js';

/**
 * The extension `io.modelcontextprotocol/ui` (SEP-1865, MCP Apps 2026-01-26): tools whose results hosts show in a UI. All it
 * says travels in `_meta`, so it adds no method; it is announced in every revision.
 */
export const apps: ExtensionFactory = (host) => {
  const known = { version: -1, isUsed: false };
  return {
    id: UI,
    inSessions: true,
    settings() {
      const { tools, resources, templates } = host.registry;
      const version = tools.version + resources.version + templates.version;
      // A capability once announced is not taken back.
      if (!known.isUsed && known.version !== version) known.isUsed = usesUi(host);
      known.version = version;
      return known.isUsed ? {} : undefined;
    },
  };
};

function usesUi({ registry: { tools, resources, templates } }: ExtensionHost): boolean {
  return (
    [...tools].some(({ definition }) => definition.ui !== undefined) ||
    [...resources, ...templates].some(({ descriptor }) => descriptor.mimeType === UI_MIME_TYPE)
  );
}
