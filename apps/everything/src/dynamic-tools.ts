import { type App, definePrompt, defineTool } from '@sigil/core';
import { WATCHED_URI, WatchedResource } from './watched-resource.js';

const TEMPORARY_TOOL = 'temporary_tool';
const TEMPORARY_PROMPT = 'temporary_prompt';

/**
 * Adds tools that change the running server: one adds or removes a tool, one adds or removes a prompt, and one updates
 * a resource.
 */
export function addDynamicTools(app: App): void {
  app.tools.add(
    defineTool({
      name: 'test_trigger_tool_change',
      description: 'Adds a tool to this server, or removes it again',
      handle: () => {
        if (app.tools.remove(TEMPORARY_TOOL)) return `Removed ${TEMPORARY_TOOL}`;
        app.tools.add(
          defineTool({
            name: TEMPORARY_TOOL,
            description: 'Exists until it is removed',
            handle: () => 'Still here',
          }),
        );
        return `Added ${TEMPORARY_TOOL}`;
      },
    }),
  );
  app.tools.add(
    defineTool({
      name: 'test_trigger_prompt_change',
      description: 'Adds a prompt to this server, or removes it again',
      handle: () => {
        if (app.prompts.remove(TEMPORARY_PROMPT)) return `Removed ${TEMPORARY_PROMPT}`;
        app.prompts.add(
          definePrompt({
            name: TEMPORARY_PROMPT,
            description: 'Exists until it is removed',
            handle: () => 'Say hello while I am here.',
          }),
        );
        return `Added ${TEMPORARY_PROMPT}`;
      },
    }),
  );
  app.tools.add(
    defineTool({
      name: 'touch_watched_resource',
      description: 'Changes the watched resource and notifies its subscribers',
      handle: async (_args, ctx) => {
        const watched = await ctx.resolve(WatchedResource);
        const version = watched.touch();
        app.notifyResourceUpdated(WATCHED_URI);
        return `The watched resource is at version ${version}`;
      },
    }),
  );
}
