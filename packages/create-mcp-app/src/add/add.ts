import { Failure } from '../failures.js';
import type { Said } from '../flags/flag.js';
import type { Host } from '../host.js';

export async function add(_said: Said, _host: Host): Promise<{ json: object; lines: readonly string[] }> {
  throw new Failure('USAGE', 'not yet');
}
