import { type ObjectStorage, StorageDatabase } from '../../apps/inventory/dist/database/storage-database.js';
import { DATABASE_CASES } from './database-cases.js';

interface Env {
  readonly CASES: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
}

/** Runs the case of a request on the storage of an object that has no other. */
export class Cases {
  constructor(private readonly state: { readonly storage: ObjectStorage }) {}

  fetch(request: Request): Response {
    const { run } = DATABASE_CASES[nameOf(request)] ?? { run: () => undefined };
    return Response.json({ result: run(new StorageDatabase(this.state.storage)) });
  }
}

export default {
  fetch: (request: Request, { CASES }: Env): Promise<Response> =>
    CASES.getByName(nameOf(request)).fetch(request),
};

function nameOf({ url }: Request): string {
  return new URL(url).searchParams.get('name') ?? '';
}
