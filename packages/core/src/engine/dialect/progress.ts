import { isObject } from '../../protocol/json.js';

type Params = Readonly<Record<string, unknown>>;

/** Reads `{token, value}`, whose value is a number or says how far things are in members of its own. */
export function readProgress({ token, value, ...rest }: Params): Params {
  const told = isObject(value) ? value : { progress: value };
  return { ...rest, ...told, progressToken: token };
}

/** Writes progress as `{token, value}`: the value keeps the members that progress has in the specification. */
export function writeProgress({ progressToken, _meta, ...value }: Params): Params {
  return { token: progressToken, value, ...(_meta === undefined ? {} : { _meta }) };
}
