import type { ClientView } from '../../context/call.js';
import { UI, UI_MIME_TYPE } from '../../protocol/ui.js';

/**
 * Whether a client shows UI resources, for handlers that say less when a UI says the rest: `clientShowsUi(ctx.client)`.
 * It does when it has declared the extension `io.modelcontextprotocol/ui` with the MIME type of UI resources.
 */
export function clientShowsUi({ capabilities }: ClientView): boolean {
  const mimeTypes = capabilities.extensions?.[UI]?.['mimeTypes'];
  return Array.isArray(mimeTypes) && mimeTypes.includes(UI_MIME_TYPE);
}
