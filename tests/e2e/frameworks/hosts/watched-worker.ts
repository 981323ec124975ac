import { type ExecutionContext, worker } from '@sigil/workers';
import { createWatchedApp, seen, SEEN_AT } from './watched-app.js';

const watched = worker(createWatchedApp, { allowedHosts: ['127.0.0.1'] });

export default {
  async fetch(request: Request, env: unknown, context: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname === SEEN_AT) return new Response(await seen.answer());
    return watched.fetch(request, env, context);
  },
};
