import type { AppOptions } from '@sigil/core';
import { jsonLinesFile } from '@sigil/node';
import { logDuration } from './middleware/log-duration.js';

export const options: AppOptions = {
  name: 'template-full',
  version: '0.1.0',
  instructions: 'The lending desk of a library. Search for books before lending them.',
  // The server serves every class that the compiled files in these folders export. No registration is needed.
  discover: new URL('./{tools,resources,prompts}/**/*.js', import.meta.url),
  middleware: [logDuration],
  // Logs each call on standard error. A call that takes more than two seconds is logged as a warning.
  log: { calls: 'info', slowMs: 2_000 },
  limits: {
    rates: [
      // Counted for each network address, before authentication. Over stdio, it does not apply.
      { per: 'address', limit: 600, windowMs: 60_000 },
      { per: 'principal', limit: 120, windowMs: 60_000 },
    ],
  },
  // Writes an audit of calls to AUDIT_FILE, if it is set. A getter, because `.env` is loaded after this file.
  get audit() {
    const file = process.env['AUDIT_FILE'];
    return file ? { sink: jsonLinesFile(file) } : undefined;
  },
};
