import type { UiOptions } from '../metadata/definitions.js';
import { isObject } from '../protocol/json.js';

const CSP_KEYS: readonly string[] = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'];
const PERMISSIONS: readonly string[] = ['camera', 'microphone', 'geolocation', 'clipboardWrite'];
/** Scheme, host and port, with a wildcard in place of the first labels at most; nothing that could add to a policy. */
const ORIGIN = /^(https?|wss?):\/\/(\*\.)?([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$/i;

/** What is wrong with the options of a UI resource, in words. */
export function uiOptionFaults({ csp = {}, permissions = {}, domain, prefersBorder }: UiOptions): string[] {
  return [
    ...(isObject(csp) ? Object.entries(csp).flatMap(cspFaults) : ['csp must be an object']),
    ...(isObject(permissions)
      ? Object.entries(permissions).flatMap(permissionFaults)
      : ['permissions must be an object']),
    ...(domain === undefined || isText(domain) ? [] : ['domain must be a string that is not empty']),
    ...(prefersBorder === undefined || typeof prefersBorder === 'boolean'
      ? []
      : ['prefersBorder must be true or false']),
  ];
}

function cspFaults([key, domains]: [string, unknown]): string[] {
  if (!CSP_KEYS.includes(key)) return [`csp has no '${key}'; it has ${CSP_KEYS.join(', ')}`];
  if (!Array.isArray(domains)) return [`csp.${key} must be a list of origins`];
  return domains
    .filter((domain) => typeof domain !== 'string' || !ORIGIN.test(domain))
    .map((domain) => `csp.${key}: '${String(domain)}' is no origin, such as https://api.example.com`);
}

function permissionFaults([key, value]: [string, unknown]): string[] {
  if (!PERMISSIONS.includes(key))
    return [`there is no permission '${key}'; there are ${PERMISSIONS.join(', ')}`];
  return isObject(value) ? [] : [`permissions.${key} must be an empty object`];
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
