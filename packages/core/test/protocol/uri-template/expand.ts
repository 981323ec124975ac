import { OPERATORS, type UriTemplate } from '../../../src/protocol/uri-template/parse.js';

/** Expands a template to a URI (RFC 6570 §3); prefixes are left aside. */
export function expandUriTemplate(
  { parts }: UriTemplate,
  values: Readonly<Record<string, string | readonly string[] | undefined>>,
): string {
  return parts
    .map((part) => {
      if (part.kind === 'literal') return encode(part.text, true);
      const { operator, variables } = part;
      const { first, separator, named } = OPERATORS[operator];
      const isReserved = operator === '+' || operator === '#';
      const expanded = variables.flatMap(({ name, explode }) => {
        const value = values[name];
        if (value === undefined) return [];
        const encoded = [value].flat().map((one) => encode(one, isReserved));
        const given = explode ? encoded : [encoded.join(',')];
        if (!named) return given;
        return given.map((one) => (one === '' && operator === ';' ? name : `${name}=${one}`));
      });
      return expanded.length === 0 ? '' : first + expanded.join(separator);
    })
    .join('');
}

const NOT_UNRESERVED = /[^A-Za-z0-9\-._~]+/gu;
const NOT_URI = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+/gu;

function encode(text: string, isReserved: boolean): string {
  return text.replace(isReserved ? NOT_URI : NOT_UNRESERVED, (run) =>
    encodeURIComponent(run).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  );
}
