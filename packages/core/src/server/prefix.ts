import type { HandlerDefinition } from '../metadata/definitions.js';
import type { Declaration } from '../registry/declaration.js';
import { nameFromMethod } from '../registry/names.js';

/** Schemes whose URIs mean something outside of the server. */
const OUTSIDE: ReadonlySet<string> = new Set(['ui', 'file', 'http', 'https']);
const URI = /^([A-Za-z][A-Za-z0-9+.-]*):(\/{0,3})(.*)$/s;

/** A declaration whose name or URI begins with the prefix of its module. */
export function withPrefix(declaration: Declaration, prefix: string): Declaration {
  return { ...declaration, definition: prefixed(declaration, prefix) };
}

function prefixed({ definition, target }: Declaration, prefix: string): HandlerDefinition {
  switch (definition.kind) {
    case 'tool':
    case 'prompt': {
      const name =
        definition.name ?? nameFromMethod(target.kind === 'method' ? target.method : target.handle.name);
      return { ...definition, name: `${prefix}_${name}` };
    }
    case 'resource':
      return { ...definition, uri: prefixUri(definition.uri, prefix) };
    case 'completion': {
      const { ref } = definition;
      // A name cannot have a colon, and a URI cannot be without one.
      return { ...definition, ref: ref.includes(':') ? prefixUri(ref, prefix) : `${prefix}_${ref}` };
    }
  }
}

/** Makes the prefix the first segment of the path of a URI or URI template. */
function prefixUri(uri: string, prefix: string): string {
  const [, scheme = '', slashes = '', rest = ''] = URI.exec(uri) ?? [];
  if (scheme === '' || OUTSIDE.has(scheme.toLowerCase())) return uri;
  // What expands to its own delimiter needs no slash before it.
  const slash = rest === '' || /^(?:\{?[?#/]|\{[;.])/.test(rest) ? '' : '/';
  return `${scheme}:${slashes}${prefix}${slash}${rest}`;
}
