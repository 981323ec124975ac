import { http } from '@sigil/http';
import type { Contestant, Era } from './client.js';
import { HttpClient } from './http-client.js';

export function overHttp(era: Era): Contestant {
  return {
    name: `http, ${era}`,
    era,
    async open(app, answer) {
      const running = await app.run(
        http({ port: 0, handleSignals: false, limits: { maxBodyBytes: 16 * 1024 * 1024 } }),
      );
      const client = new HttpClient(era, running.address, () => running.close(), answer);
      return client.greet();
    },
  };
}
