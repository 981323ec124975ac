import { isObject, type JsonObject } from '../../../src/json.js';
import { type ClientOptions, type RequestEvents, textOf } from './messages.js';

/** Passes progress and log messages to the caller of a request, and all other notifications to the page. */
export function tellCaller(message: JsonObject, events: RequestEvents, options: ClientOptions): void {
  const { method } = message;
  const params = isObject(message['params']) ? message['params'] : {};
  if (method === 'notifications/progress' && events.onProgress) {
    const { progress, total } = params;
    const text = textOf(params['message']);
    events.onProgress({
      progress: Number(progress),
      ...(typeof total === 'number' ? { total } : {}),
      ...(text === undefined ? {} : { message: text }),
    });
  } else if (method === 'notifications/message' && events.onLog) {
    const logger = textOf(params['logger']);
    const level = textOf(params['level']) ?? 'info';
    events.onLog({ level, data: params['data'], ...(logger === undefined ? {} : { logger }) });
  } else if (typeof method === 'string') {
    options.onNotification(method, params);
  }
}
