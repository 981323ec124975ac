import { type App, defineTool } from '@sigil/core';

const MOST_KEPT = 100;

/**
 * Records the latest subscriptions and the latest changes of clients' roots, and adds a tool that lists these events.
 */
export function addClientEvents(app: App): void {
  const events: string[] = [];
  const keep = (event: string): void => {
    events.push(event);
    if (events.length > MOST_KEPT) events.shift();
  };
  app.on('subscribed', (uri) => keep(`subscribed to ${uri}`));
  app.on('unsubscribed', (uri) => keep(`unsubscribed from ${uri}`));
  app.on('rootsChanged', ({ info }) => keep(`roots of ${info?.name ?? 'a client'} changed`));
  app.tools.add(
    defineTool({
      name: 'recent_client_events',
      description: 'Lists the latest subscriptions and changes of roots, oldest first',
      readOnly: true,
      handle: () => ({ events: [...events] }),
    }),
  );
}
