import { ERROR_CODES } from '../errors/codes.js';
import { ProtocolError } from '../errors/protocol-error.js';
import type { Carry } from './asker.js';

/** Carries questions inside results: the client answers when it repeats the request (2026-07-28, basic/patterns/mrtr). */
export const askByRound: Carry = {
  async ask(asking, key, request) {
    if (asking.revision.rounds.has(asking.method)) return asking.rounds.leave({ [key]: request });
    const message = `${asking.method} cannot be answered with a question; only tools, prompts and resources can`;
    throw new ProtocolError(ERROR_CODES.internalError, message);
  },
  askAll: (asking, requests) => asking.rounds.leave(requests),
};
