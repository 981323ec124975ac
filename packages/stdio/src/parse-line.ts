import { parseJson } from '@sigil/core/transport';
import { isUtf8 } from 'node:buffer';

/**
 * Parses one line.
 *
 * @throws SyntaxError when the bytes are not UTF-8 or not JSON.
 */
export function parseLine(line: Buffer): unknown {
  if (!isUtf8(line)) throw new SyntaxError('Invalid UTF-8');
  return parseJson(line.toString('utf8'));
}
