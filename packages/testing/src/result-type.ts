import type { ClientCapabilities } from '@sigil/core';

const KNOWN: readonly unknown[] = [undefined, 'complete', 'input_required'];

/**
 * Checks that a client may be sent a result of this type: types beyond the core protocol belong to extensions, which the client must
 * have declared (2026-07-28, basic, "resultType").
 *
 * @throws Error when it may not.
 */
export function checkResultType(
  result: Readonly<Record<string, unknown>>,
  { extensions }: ClientCapabilities,
): void {
  const type = result['resultType'];
  if (KNOWN.includes(type)) return;
  const mayBeAnExtensions = typeof type === 'string' && Object.keys(extensions ?? {}).length > 0;
  if (!mayBeAnExtensions) throw new Error(`Unknown resultType: ${JSON.stringify(type)}`);
}
