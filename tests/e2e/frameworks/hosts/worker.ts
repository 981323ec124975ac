import { type ExecutionContext, worker } from '@sigil/workers';
import { createContractApp, isAmong, MOUNTS } from '../contract-app.js';

/** Bindings, as the configuration of the worker has them. */
interface Env {
  readonly GREETING: string;
}

const workers = MOUNTS.map(({ path, options, documents }) => ({
  worker: worker<Env>(
    ({ GREETING }) => createContractApp({ greeting: GREETING }),
    () => ({ path, ...options }),
  ),
  paths: [path, ...documents],
}));

export default {
  fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url);
    const found = workers.find(({ paths }) => isAmong(paths, pathname)) ?? workers[0];
    return found ? found.worker.fetch(request, env, context) : Promise.reject(new Error('no mounts'));
  },
};
