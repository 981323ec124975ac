import { setTimeout as pause } from 'node:timers/promises';
import { ErrorReply } from '@redis/client';
import type { IRedisClient } from 'bullmq';

/** How long it waits until Redis is asked again, in milliseconds. */
const RETRY_MS = 100;
/** What those are told whom Redis does not tell: the oldest that is supported. */
const OLDEST = 'redis_version:6.2.0';

/**
 * Answers what BullMQ asks of Redis before it does anything else. A connection that is lost meanwhile must not fail it: BullMQ would give that
 * failure for an answer ever after, in a loop that lets nothing else run. Whether Redis evicts keys, which it would write about to the
 * console, is reported by the connection.
 *
 * @param client one of BullMQ's; it is changed.
 * @param isEnded whether the client is not needed any more.
 * @returns the client.
 */
export function withInfo(client: IRedisClient, isEnded: () => boolean): IRedisClient {
  const info = client.info.bind(client);
  client.info = async () => {
    for (;;) {
      try {
        return (await info()).replace(/^maxmemory_policy:.*$/m, '');
      } catch (error) {
        if (error instanceof ErrorReply) return OLDEST;
        if (isEnded()) throw error;
        await pause(RETRY_MS);
      }
    }
  };
  return client;
}
