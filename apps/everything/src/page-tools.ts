import { type App, defineTool } from '@sigil/core';

/** Adds the other half of `open_page`: what the page itself would call once its user is through. */
export function addPageTools(app: App): void {
  app.tools.add(
    defineTool({
      name: 'complete_page',
      description: 'Tells the client whose user was sent to a page that the page has done its work',
      input: {
        type: 'object',
        properties: { elicitationId: { type: 'string' } },
        required: ['elicitationId'],
      },
      handle: ({ elicitationId }) =>
        app.completeElicitation(String(elicitationId)) ? 'The client was told' : 'No client waits for that',
    }),
  );
}
