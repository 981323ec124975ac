import { Diagnostics } from '../errors/errors.js';
import type { ReadListed } from '../invoke/listing.js';
import type { Resource } from '../protocol/descriptors.js';
import { isObject, withoutUndefined } from '../protocol/json.js';
import { authorMeta, repeated } from '../protocol/protocol.js';
import { type ExpandedValue, expandUriTemplate } from '../protocol/uri-template/expand.js';
import type { UriTemplate } from '../protocol/uri-template/parse.js';
import { checkAnnotations } from './checks.js';
import type { TemplateEntry } from './entry.js';

/** A resource that a template's list returned. */
interface GivenResource extends Omit<Resource, 'uri'> {
  readonly uri?: string;
  readonly variables?: Readonly<Record<string, ExpandedValue | undefined>>;
}

/**
 * Creates a function that validates and converts one resource from the list function of a template.
 *
 * @param mimeType the default MIME type.
 * @param prefixUri a function that adds the prefix of the module to a URI.
 */
export function listedReader(
  template: UriTemplate,
  match: TemplateEntry['match'],
  mimeType: string | undefined,
  prefixUri: (uri: string) => string,
): ReadListed {
  return (given) => {
    checkListed(given);
    const {
      uri: written,
      variables: values = {},
      name,
      title,
      description,
      annotations,
      size,
      icons,
    } = given;
    const unknown = Object.keys(values).find((one) => !template.variables.includes(one));
    if (unknown !== undefined)
      throw new TypeError(
        `the list function returned a value for the variable '${unknown}', which '${template.source}' does not have`,
      );
    const uri = written === undefined ? expandUriTemplate(template, values) : prefixUri(written);
    const variables = match(uri);
    if (!variables)
      throw new TypeError(
        `the list function returned the URI '${repeated(uri)}', which '${template.source}' does not match`,
      );
    const known = { title, description, icons, annotations, size };
    const _meta = authorMeta(given._meta);
    return {
      descriptor: {
        uri,
        name,
        ...withoutUndefined({ ...known, mimeType: given.mimeType ?? mimeType, _meta: _meta && { ..._meta } }),
      },
      variables,
    };
  };
}

const TEXTS = ['uri', 'title', 'description', 'mimeType'];

/** Validates a resource from a list. @throws TypeError if it is invalid. */
function checkListed(given: unknown): asserts given is GivenResource {
  const refuse = (what: string): never => {
    throw new TypeError(`the list function returned a resource ${what}`);
  };
  if (!isObject(given)) return refuse('that is not an object: return { uri, name } or { variables, name }');
  const { uri, variables, name, icons, annotations, size } = given;
  if ((uri === undefined) === (variables === undefined)) refuse('that needs either "uri" or "variables"');
  if (typeof name !== 'string' || name === '') refuse('without a "name", which clients show');
  for (const member of TEXTS)
    if (given[member] !== undefined && typeof given[member] !== 'string')
      refuse(`whose "${member}" is not a string`);
  if (variables !== undefined && !(isObject(variables) && Object.values(variables).every(isExpandable)))
    refuse('whose "variables" are not strings, numbers, booleans, or lists of such values');
  if (
    icons !== undefined &&
    !(Array.isArray(icons) && icons.every((icon) => isObject(icon) && 'src' in icon))
  )
    refuse('whose "icons" are not a list of { src } objects');
  const diagnostics = new Diagnostics();
  checkAnnotations(annotations, size, diagnostics);
  for (const problem of diagnostics.problems) refuse(`whose "${problem.where}" is wrong: ${problem.what}`);
}

function isExpandable(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((one) => !Array.isArray(one) && isExpandable(one));
  return value === undefined || ['string', 'number', 'boolean'].includes(typeof value);
}
