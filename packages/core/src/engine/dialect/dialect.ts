import { METHODS, NOTIFICATIONS } from '../../protocol/protocol.js';
import { readLevel, writeLevel } from './levels.js';
import { readProgress, writeProgress } from './progress.js';
import { readSampled, writeSampling } from './sampling.js';

type Params = Readonly<Record<string, unknown>>;

/** A message that the older dialect says otherwise than the specification. */
export interface DialectRow {
  /** The method in the specification. */
  readonly name: string;
  /** The method in the dialect; the same where only the parameters differ. */
  readonly old: string;
  /** Makes the parameters of the specification of those of the dialect; the same ones when absent. */
  readonly read?: (params: Params) => Params;
  /** Makes the parameters of the dialect of those of the specification; the same ones when absent. */
  readonly write?: (params: Params) => Params;
  /** Makes a result of the specification of the client's result in the dialect; the same one when absent. */
  readonly readResult?: (result: Params) => Params;
}

/**
 * The dialect that some documents describe, and clients written after them speak: other names for what revisions up to
 * 2025-11-25 have, in either direction. Results that the table does not name are the same in both.
 */
export const DIALECT: readonly DialectRow[] = [
  { name: NOTIFICATIONS.initialized, old: 'initialized' },
  {
    name: NOTIFICATIONS.cancelled,
    old: '$/cancelled',
    read: (params) => rename(params, 'id', 'requestId'),
    write: (params) => rename(params, 'requestId', 'id'),
  },
  { name: NOTIFICATIONS.progress, old: '$/progress', read: readProgress, write: writeProgress },
  {
    name: METHODS.setLevel,
    old: 'logging/set_level',
    read: (params) => ({ ...params, level: readLevel(params['level']) }),
    write: (params) => ({ ...params, level: writeLevel(params['level']) }),
  },
  {
    name: NOTIFICATIONS.message,
    old: NOTIFICATIONS.message,
    read: ({ message, ...params }) => ({ ...params, level: readLevel(params['level']), data: message }),
    write: ({ data, ...params }) => ({
      ...params,
      level: writeLevel(params['level']),
      message: typeof data === 'string' ? data : JSON.stringify(data),
    }),
  },
  {
    name: METHODS.createMessage,
    old: 'sampling/create_message',
    write: writeSampling,
    readResult: readSampled,
  },
  { name: METHODS.elicit, old: 'elicitation/request' },
];

function rename(params: Params, from: string, to: string): Params {
  if (!Object.hasOwn(params, from)) return params;
  const { [from]: value, ...rest } = params;
  return { ...rest, [to]: value };
}
