import type { Problem } from '../errors/definition-error.js';
import type { ResourceDefinition, ToolDefinition } from '../metadata/definitions.js';
import { isUiUri, OLDER_UI_KEY, UI_KEY } from '../protocol/ui.js';
import { toolUiOptions } from './ui-meta.js';
import { uiOptionFaults } from './ui-option-faults.js';

const VISIBILITY: readonly unknown[] = ['model', 'app'];

/** What is wrong with how a tool says that it is shown. */
export function toolUiProblems(definition: ToolDefinition, where: string): Problem[] {
  const { ui, meta } = definition;
  if (ui === undefined) return [];
  const { resourceUri, visibility, ...others } = toolUiOptions(definition);
  const place = `${where}, ui`;
  const wrong = [
    ...(resourceUri === undefined && visibility === undefined ? ['it says nothing'] : []),
    ...(visibility === undefined || isVisibility(visibility)
      ? []
      : ["visibility must be a list of 'model' and 'app', at least one"]),
    ...Object.keys(others).map((key) => `it has no '${key}': what a UI needs is said by @UiResource`),
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
    ...uiOptionFaults(ui).map((what) => invalid(where, what, fix)),
    ...clashes(meta, [UI_KEY], where),
  ];
}

function isVisibility(visibility: unknown): boolean {
  return (
    Array.isArray(visibility) && visibility.length > 0 && visibility.every((who) => VISIBILITY.includes(who))
  );
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
