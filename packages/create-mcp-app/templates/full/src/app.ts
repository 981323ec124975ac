import type { AppOptions } from '@sigil/core';
import { jsonLinesFile } from '@sigil/node';
import { logDuration } from './middleware/log-duration.js';

export const options: AppOptions = {
  name: 'template-full',
  version: '0.1.0',
  instructions: 'The lending desk of a library. Search for books before lending them.',
  // Every class that these folders export is served, once it is compiled; there is nothing to register.
  discover: new URL('./{tools,resources,prompts}/**/*.js', import.meta.url),
  middleware: [logDuration],
  // One line a call on standard error; a call that takes longer than two seconds is a warning. LOG_LEVEL=warn shows those alone.
  log: { calls: 'info', slowMs: 2_000 },
  limits: {
    rates: [
      // By the network address, before authentication; over stdio there is none.
      { per: 'address', limit: 600, windowMs: 60_000 },
      { per: 'principal', limit: 120, windowMs: 60_000 },
    ],
  },
  // The audit of calls, in the file AUDIT_FILE if it is set. It is read late, because `.env` may set it.
  get audit() {
    const file = process.env['AUDIT_FILE'];
    return file ? { sink: jsonLinesFile(file) } : undefined;
  },
};
