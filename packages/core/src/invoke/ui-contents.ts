import { type InputRequired, isInputRequired } from '../context/input-required.js';
import type { UiOptions } from '../metadata/definitions.js';
import type { ResourceContents } from '../protocol/content.js';
import type { ReadResourceResult } from '../protocol/results.js';
import { UI_KEY } from '../protocol/ui.js';

/**
 * Has the contents of a UI resource say how hosts show it: they look there first, and at the list only then.
 *
 * @returns the result; contents that say so themselves are left as they are.
 */
export function withUi(
  result: ReadResourceResult | InputRequired | undefined,
  ui: UiOptions,
): ReadResourceResult | InputRequired | undefined {
  if (!result || isInputRequired(result)) return result;
  return { ...result, contents: result.contents.map((contents) => withOwn(contents, ui)) };
}

function withOwn(contents: ResourceContents, ui: UiOptions): ResourceContents {
  const { _meta } = contents;
  return _meta && UI_KEY in _meta ? contents : { ...contents, _meta: { ..._meta, [UI_KEY]: ui } };
}
