import { fetchHandler } from '@sigil/http/fetch';
import { createContractApp, isAmong, MOUNTS } from '../contract-app.js';

const app = await createContractApp();
const handlers = MOUNTS.map(({ path, options, documents }) => ({
  handler: fetchHandler(app, options),
  paths: [path, ...documents],
}));

/** Serves what a runtime gives, for runtimes that need no adapter. */
export async function serve(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const mounted = handlers.find(({ paths }) => isAmong(paths, pathname));
  return mounted ? mounted.handler(request) : new Response(null, { status: 404 });
}

/** Lets calls finish. */
export async function close(): Promise<void> {
  await Promise.all(handlers.map(({ handler }) => handler.close()));
  await app.close();
}
