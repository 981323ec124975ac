import { type App, defineTool } from '@sigil/core';

/** Adds a tool that completes an `open_page` request, as the page itself would do after the user has finished there. */
export function addPageTools(app: App): void {
  app.tools.add(
    defineTool({
      name: 'complete_page',
      description: 'Notifies the client that the user has completed the page from open_page',
      input: {
        type: 'object',
        properties: { elicitationId: { type: 'string' } },
        required: ['elicitationId'],
      },
      handle: ({ elicitationId }) =>
        app.completeElicitation(String(elicitationId))
          ? 'The client was notified'
          : 'No client waits for this page',
    }),
  );
}
