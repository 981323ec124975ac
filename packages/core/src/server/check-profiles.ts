import type { ClientProfile } from '../engine/methods/client-profiles.js';
import type { Problem } from '../errors/definition-error.js';
import { isObject } from '../protocol/json.js';
import { invalidOption } from './invalid-option.js';

const NULLS: readonly unknown[] = [undefined, 'any-of', 'type-list', 'nullable', 'omit'];

/** Everything wrong with the profiles of clients. */
export function checkProfiles(profiles: readonly ClientProfile[]): Problem[] {
  return profiles.flatMap((profile, index) => checkProfile(profile, `clientProfiles[${index}]`));
}

function checkProfile(profile: unknown, option: string): Problem[] {
  if (!isObject(profile)) return [invalidOption(option, 'an object')];
  const { clients, inlineReferences, nulls, formats, omit } = profile;
  const areClients =
    clients === undefined || isListOf(clients, (one) => isText(one) || one instanceof RegExp);
  return [
    ...(areClients ? [] : [invalidOption(`${option}.clients`, 'a list of names and patterns')]),
    ...(isFlag(inlineReferences) ? [] : [invalidOption(`${option}.inlineReferences`, 'true or false')]),
    ...(NULLS.includes(nulls)
      ? []
      : [invalidOption(`${option}.nulls`, "'any-of', 'type-list', 'nullable' or 'omit'")]),
    ...(formats === undefined || isListOf(formats, isText)
      ? []
      : [invalidOption(`${option}.formats`, 'a list of formats')]),
    ...(omit === undefined || isListOf(omit, isText)
      ? []
      : [invalidOption(`${option}.omit`, 'a list of keywords')]),
  ];
}

function isListOf(value: unknown, is: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isFlag(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean';
}
