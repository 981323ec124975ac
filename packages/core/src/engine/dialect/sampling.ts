import { isObject } from '../../protocol/json.js';

type Params = Readonly<Record<string, unknown>>;

/**
 * Writes what a model is asked as `{message, context?, modelHint?}`: the last message, the messages before it, and the first model
 * that is hinted at. The other parameters are the same in both, and `modelPreferences` stays for what `modelHint` cannot say.
 */
export function writeSampling({ messages, ...params }: Params): Params {
  const all = Array.isArray(messages) ? (messages as readonly unknown[]) : [];
  const context = all.slice(0, -1);
  const modelHint = firstHint(params['modelPreferences']);
  return {
    ...params,
    message: textOf(all.at(-1)) ?? all.at(-1) ?? '',
    ...(context.length === 0 ? {} : { context }),
    ...(modelHint === undefined ? {} : { modelHint }),
  };
}

/** Reads `{message, model?, stopReason?}`. A result without a message, or with one that is malformed, comes back as it is. */
export function readSampled(result: Params): Params {
  const { message, ...rest } = result;
  const said = isObject(message) ? message : { content: message };
  const content =
    typeof said['content'] === 'string' ? { type: 'text', text: said['content'] } : said['content'];
  if (typeof content !== 'object') return result;
  // The specification requires a name of the model; the dialect does not.
  return { model: 'unknown', ...rest, role: said['role'] ?? 'assistant', content };
}

/** The text of a message of the user that is nothing but text. */
function textOf(message: unknown): string | undefined {
  if (!isObject(message) || message['role'] !== 'user') return undefined;
  const blocks = [message['content']].flat();
  const [block] = blocks;
  return blocks.length === 1 && isObject(block) && block['type'] === 'text'
    ? String(block['text'])
    : undefined;
}

function firstHint(preferences: unknown): unknown {
  const hints = isObject(preferences) ? preferences['hints'] : undefined;
  const first: unknown = Array.isArray(hints) ? hints[0] : undefined;
  return isObject(first) ? first['name'] : undefined;
}
