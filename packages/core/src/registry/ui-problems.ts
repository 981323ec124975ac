import type { Problem } from '../errors/definition-error.js';
import type { ResourceDefinition, ToolDefinition, UiOptions } from '../metadata/definitions.js';
import { isObject } from '../protocol/json.js';
import { isUiUri, OLDER_UI_KEY, UI_KEY } from '../protocol/ui.js';

const VISIBILITY: readonly unknown[] = ['model', 'app'];
const CSP_KEYS: readonly string[] = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'];
const PERMISSIONS: readonly string[] = ['camera', 'microphone', 'geolocation', 'clipboardWrite'];
/** Scheme, host and port, with a wildcard in place of the first labels at most; nothing that could add to a policy. */
const ORIGIN = /^(https?|wss?):\/\/(\*\.)?([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$/i;

/** What is wrong with how a tool says that it is shown. */
export function toolUiProblems({ ui, meta }: ToolDefinition, where: string): Problem[] {
  if (ui === undefined) return [];
  const { resourceUri, visibility } = typeof ui === 'string' ? { resourceUri: ui } : ui;
  const place = `${where}, ui`;
  const wrong = [
    ...(resourceUri === undefined && visibility === undefined ? ['it says nothing'] : []),
    ...(visibility === undefined || isVisibility(visibility)
      ? []
      : ["visibility must be a list of 'model' and 'app', at least one"]),
  ];
  return [
    ...(resourceUri === undefined ? [] : schemeProblems(resourceUri, place)),
    ...wrong.map((what) => invalid(place, what, "write ui: 'ui://…', or ui: { resourceUri, visibility }")),
    ...clashes(meta, [UI_KEY, OLDER_UI_KEY], where),
  ];
}

/** What is wrong with how a UI resource says that it is shown. */
export function resourceUiProblems({ uri, ui, meta }: ResourceDefinition, where: string): Problem[] {
  if (ui === undefined) return [];
  const fix = 'use the options of @UiResource as their documentation has them';
  return [
    ...schemeProblems(uri, where),
    ...optionFaults(ui).map((what) => invalid(where, what, fix)),
    ...clashes(meta, [UI_KEY], where),
  ];
}

function optionFaults({ csp = {}, permissions = {}, domain, prefersBorder }: UiOptions): string[] {
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

function isVisibility(visibility: unknown): boolean {
  return (
    Array.isArray(visibility) && visibility.length > 0 && visibility.every((who) => VISIBILITY.includes(who))
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function schemeProblems(uri: unknown, where: string): Problem[] {
  if (isUiUri(uri)) return [];
  const what = `'${String(uri)}' is not the URI of a UI resource`;
  return [{ code: 'SIGIL_INVALID_URI', where, what, fix: 'write a URI that begins with ui://' }];
}

/** Two words about the same thing are one too many: neither wins silently. */
function clashes(
  meta: Readonly<Record<string, unknown>> | undefined,
  keys: readonly string[],
  where: string,
): Problem[] {
  return keys
    .filter((key) => meta !== undefined && Object.hasOwn(meta, key))
    .map((key) =>
      invalid(
        `${where}, meta`,
        `its member '${key}' says what the options say`,
        `leave '${key}' out of meta`,
      ),
    );
}

function invalid(where: string, what: string, fix: string): Problem {
  return { code: 'SIGIL_INVALID_OPTIONS', where, what, fix };
}
