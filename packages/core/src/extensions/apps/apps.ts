import type { ClientView } from '../../context/call.js';
import type { ExtensionHost } from '../../engine/extension.js';
import type { DefinitionProblem } from '../../errors/errors.js';
import type { ResourceContents } from '../../protocol/content.js';
import { isObject } from '../../protocol/json.js';
import type { DefinitionDetails, FindResource } from '../../registry/entry.js';
import type { AppExtension } from '../app-extension.js';
import {
  isUiUri,
  OLDER_UI_KEY,
  type ToolUiOptions,
  Ui,
  UI,
  UI_KEY,
  UI_MIME_TYPE,
  type UiOptions,
  UiPage,
} from './ui.js';

/**
 * The extension `io.modelcontextprotocol/ui` (SEP-1865, MCP Apps 2026-01-26). Hosts use it to show the results of tools
 * in a UI. All data of the extension is in `_meta`, so the extension adds no protocol methods. The server announces the
 * extension in every revision.
 */
export const apps: AppExtension = {
  check: (definition, find) => [...toolProblems(definition, find), ...pageProblems(definition)],
  describe(definition) {
    const page = pageOf(definition);
    if (page) return { [UI_KEY]: page };
    const ui = Ui.of(definition);
    if (ui === undefined) return undefined;
    const options = longForm(ui);
    const { resourceUri } = options;
    return { [UI_KEY]: options, ...(resourceUri === undefined ? {} : { [OLDER_UI_KEY]: resourceUri }) };
  },
  shapeContents(definition) {
    const page = pageOf(definition);
    return page && ((contents) => withUi(contents, page));
  },
  create(host) {
    const known = { isUsed: false };
    return {
      id: UI,
      inSessions: true,
      settings() {
        // A capability once announced is not taken back.
        known.isUsed ||= usesUi(host);
        return known.isUsed ? {} : undefined;
      },
    };
  },
};

/**
 * Whether a client shows UI resources. If so, a handler can return less text, because the UI shows the rest. A client
 * shows UI resources if it has declared the extension `io.modelcontextprotocol/ui` with the MIME type of UI resources.
 *
 * @param client the client, such as `ctx.client`.
 * @example
 * ```ts
 * const text = clientShowsUi(ctx.client) ? 'See the chart' : table;
 * ```
 */
export function clientShowsUi({ capabilities }: ClientView): boolean {
  const mimeTypes = capabilities.extensions?.[UI]?.['mimeTypes'];
  return Array.isArray(mimeTypes) && mimeTypes.includes(UI_MIME_TYPE);
}

function usesUi({ registry: { tools, resources, templates } }: ExtensionHost): boolean {
  return (
    [...tools].some(({ info }) => Ui.of(info) !== undefined) ||
    [...resources, ...templates].some(({ descriptor }) => descriptor.mimeType === UI_MIME_TYPE)
  );
}

/** Returns the options of a UI resource; `undefined` if it has none. */
function pageOf(definition: DefinitionDetails): UiOptions | undefined {
  const page = UiPage.of(definition);
  return page && Object.keys(page).length > 0 ? page : undefined;
}

/**
 * Adds UI options to contents. Contents with their own UI options stay unchanged, because hosts read those
 * first.
 */
function withUi(contents: ResourceContents, ui: UiOptions): ResourceContents {
  const { _meta } = contents;
  return _meta && UI_KEY in _meta ? contents : { ...contents, _meta: { ..._meta, [UI_KEY]: ui } };
}

/** Returns the UI options of a tool; an empty object if the author's value has another type. */
function longForm(ui: string | ToolUiOptions): ToolUiOptions {
  if (typeof ui === 'string') return { resourceUri: ui };
  return isObject(ui) ? ui : {};
}

const VISIBILITY: readonly unknown[] = ['model', 'app'];

function toolProblems(definition: DefinitionDetails, find: FindResource): DefinitionProblem[] {
  const ui = Ui.of(definition);
  if (ui === undefined) return [];
  const { where, meta, kind } = definition;
  const place = `${where}, @Ui`;
  if (kind !== 'tool') return [invalid(place, 'it is not on a tool', 'use @UiResource')];
  const { resourceUri, visibility, ...others } = longForm(ui);
  const wrong = [
    ...(resourceUri === undefined && visibility === undefined
      ? ['it has neither resourceUri nor visibility']
      : []),
    ...(visibility === undefined || isVisibility(visibility)
      ? []
      : ["visibility must be a list that contains 'model', 'app' or both"]),
    ...Object.keys(others).map((key) => `@Ui has no option '${key}': options of a UI belong in @UiResource`),
  ];
  return [
    ...(resourceUri === undefined ? [] : linkProblems(resourceUri, place, find)),
    ...wrong.map((what) => invalid(place, what, "write @Ui('ui://…'), or @Ui({ resourceUri, visibility })")),
    ...clashes(meta, [UI_KEY, OLDER_UI_KEY], where),
  ];
}

function isVisibility(visibility: unknown): boolean {
  return (
    Array.isArray(visibility) && visibility.length > 0 && visibility.every((who) => VISIBILITY.includes(who))
  );
}

/** Checks that the UI resource of a tool exists and is served as a UI. */
function linkProblems(uri: unknown, where: string, find: FindResource): DefinitionProblem[] {
  if (!isUiUri(uri)) return schemeProblems(uri, where);
  const served = find(uri);
  const mimeType = served?.mimeType ?? UI_MIME_TYPE;
  if (served && mimeType === UI_MIME_TYPE) return [];
  return [
    {
      code: 'SIGIL_UNKNOWN_UI_RESOURCE',
      where,
      what: served ? `'${uri}' is served as ${mimeType}` : `no definition serves '${uri}'`,
      fix: `serve it with @UiResource('${uri}'), and add the service with this decorator to the app; in a running app, add the resource before the tool`,
    },
  ];
}

function pageProblems(definition: DefinitionDetails): DefinitionProblem[] {
  const page = UiPage.of(definition);
  if (page === undefined) return [];
  const { where, name, meta } = definition;
  const fix = 'correct this option; the documentation of @UiResource describes all options';
  return [
    ...(isUiUri(name) ? [] : schemeProblems(name, where)),
    ...pageFaults(page).map((what) => invalid(where, what, fix)),
    ...clashes(meta, [UI_KEY], where),
  ];
}

const CSP_KEYS: readonly string[] = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'];
const PERMISSIONS: readonly string[] = ['camera', 'microphone', 'geolocation', 'clipboardWrite'];
/**
 * An origin: scheme, host and port. Only the first labels may be a wildcard. Nothing else is accepted,
 * because it could extend the policy.
 */
const ORIGIN = /^(https?|wss?):\/\/(\*\.)?([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$/i;

function pageFaults({ csp = {}, permissions = {}, domain, prefersBorder }: UiOptions): string[] {
  return [
    ...(isObject(csp) ? Object.entries(csp).flatMap(cspFaults) : ['csp must be an object']),
    ...(isObject(permissions)
      ? Object.entries(permissions).flatMap(permissionFaults)
      : ['permissions must be an object']),
    ...(domain === undefined || (typeof domain === 'string' && domain !== '')
      ? []
      : ['domain must be a string that is not empty']),
    ...(prefersBorder === undefined || typeof prefersBorder === 'boolean'
      ? []
      : ['prefersBorder must be true or false']),
  ];
}

function cspFaults([key, domains]: [string, unknown]): string[] {
  if (!CSP_KEYS.includes(key)) return [`csp has no member '${key}'; its members are ${CSP_KEYS.join(', ')}`];
  if (!Array.isArray(domains)) return [`csp.${key} must be a list of origins`];
  return domains
    .filter((domain) => typeof domain !== 'string' || !ORIGIN.test(domain))
    .map(
      (domain) => `csp.${key}: '${String(domain)}' is not an origin; write it like https://api.example.com`,
    );
}

function permissionFaults([key, value]: [string, unknown]): string[] {
  if (!PERMISSIONS.includes(key))
    return [`permissions has no member '${key}'; its members are ${PERMISSIONS.join(', ')}`];
  return isObject(value) ? [] : [`permissions.${key} must be an empty object`];
}

function schemeProblems(uri: unknown, where: string): DefinitionProblem[] {
  const what = `'${String(uri)}' is not the URI of a UI resource`;
  return [{ code: 'SIGIL_INVALID_URI', where, what, fix: 'write a URI that begins with ui://' }];
}

/** Reports members of `meta` that the options also set, because one would silently override the other. */
function clashes(
  meta: Readonly<Record<string, unknown>> | undefined,
  keys: readonly string[],
  where: string,
): DefinitionProblem[] {
  return keys
    .filter((key) => meta !== undefined && Object.hasOwn(meta, key))
    .map((key) =>
      invalid(`${where}, meta`, `the options also set the member '${key}'`, `leave '${key}' out of meta`),
    );
}

function invalid(where: string, what: string, fix: string): DefinitionProblem {
  return { code: 'SIGIL_INVALID_OPTIONS', where, what, fix };
}
