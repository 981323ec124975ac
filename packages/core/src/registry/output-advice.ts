import type { Logger } from '../protocol/logger.js';
import { describesItself } from '../schema/index.js';

/**
 * Encodes results of a tool without output schema, and warns once when one is an instance of a DTO class: of `Promise<StockLevel>`
 * only `Promise` is known at run time, so clients are told nothing about results, and nothing checks them.
 *
 * @param where the tool, in the author's words.
 */
export function advisedEncoder<R>(
  encode: (value: unknown) => R,
  where: string,
  { logger }: { readonly logger: Logger },
): (value: unknown) => R {
  let isAdvised = false;
  return (value) => {
    const output = isAdvised ? undefined : describesItself(value);
    if (output !== undefined) {
      isAdvised = true;
      logger.warn(
        { where, output },
        `${where} returns ${output}, but has no output schema: add "output: ${output}" to @Tool()`,
      );
    }
    return encode(value);
  };
}
