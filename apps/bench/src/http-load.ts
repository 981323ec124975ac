import autocannon from 'autocannon';
import { type AnswerCheck, parseAnswer } from './answers.js';
import type { HttpMessage } from './messages.js';
import type { Load } from './throughput.js';

/**
 * Sends the message once, checks the answer, and returns the body of the answer. Under load, the bodies of all answers
 * must be equal to this body.
 */
export async function verifyHttp(url: string, message: HttpMessage, check: AnswerCheck): Promise<string> {
  const response = await fetch(url, { method: 'POST', ...message });
  const body = await response.text();
  const wrong = response.ok
    ? check(parseAnswer(body, response.headers.get('content-type') ?? ''))
    : `status ${response.status}`;
  if (wrong !== undefined) throw new Error(`${wrong}: ${body.slice(0, 500)}`);
  return body;
}

const longestMs = 8000;

/**
 * Creates the load of one row for one server. It sends the message on many connections, and each connection waits for
 * its answer before it sends again. The measurement fails if a request fails, or if an answer differs from
 * `expectBody`. If a slow server gives too few answers in the given time, the measurement takes longer.
 */
export function httpLoad(url: string, message: HttpMessage, connections: number, expectBody: string): Load {
  // Fewer answers than this say more about the moment a round ends than about the server.
  const enoughAnswers = 3 * connections;
  let slowest = 0;
  const load: Load = async (ms) => {
    const span = Math.max(ms, slowest);
    const result = await autocannon({
      url,
      method: 'POST',
      headers: { ...message.headers },
      body: message.body,
      connections,
      duration: span / 1000,
      // It ends a run only when it takes a sample; at the usual second short rounds would all last one.
      sampleInt: 50,
      expectBody,
    });
    const { errors, timeouts, mismatches, non2xx, start, finish } = result;
    const answers = result['2xx'];
    if (errors + timeouts + mismatches + non2xx > 0 || (answers === 0 && span >= longestMs)) {
      throw new Error(`under load: ${JSON.stringify({ answers, errors, timeouts, mismatches, non2xx })}`);
    }
    if (answers >= enoughAnswers || span >= longestMs) {
      return (answers * 1000) / (finish.getTime() - start.getTime());
    }
    // Remembered, so that only the first measurement is thrown away.
    slowest = Math.min(longestMs, 1.2 * span * Math.min(4, enoughAnswers / Math.max(answers, 1)));
    return load(ms);
  };
  return load;
}
