import { isObject, type JsonSchema } from '../../../protocol/json.js';
import { subschemasOf } from '../../json-schema/json-schema.js';

/** A schema with an identifier of its own, or the root, and what has a name in it. References count from here. */
export interface Resource {
  readonly root: JsonSchema;
  /** Schemas by their anchors. */
  readonly anchors: Map<string, JsonSchema>;
  /** Those of them that other resources may redefine. `$recursiveAnchor` has no name. */
  readonly dynamic: Map<string, JsonSchema>;
}

const ANCHOR = /^[a-z_][-a-z0-9._]*$/i;

/** Finds in a schema what its references mean. */
export class SchemaDocument {
  readonly #resources = new Map<object, Resource>();
  /** Whether any keyword asks for what others have not looked at. */
  tracks = false;
  /** Whether any reference leads where the schemas say that lead to it. */
  dynamic = false;

  /** @throws Error when an anchor is none, or names two schemas. */
  constructor(root: JsonSchema) {
    this.#add(root, newResource(root));
  }

  /** The resources that redefine a name. */
  redefining(name: string): Resource[] {
    return [...new Set(this.#resources.values())].filter(({ dynamic }) => dynamic.has(name));
  }

  /** The resource a schema belongs to. */
  resourceOf(schema: JsonSchema): Resource {
    return this.#resources.get(schema) ?? newResource(schema);
  }

  /**
   * Finds what a local reference leads to.
   * @param from the schema it stands in.
   * @throws Error when it leads nowhere.
   */
  resolve(reference: string, from: JsonSchema): unknown {
    const resource = this.resourceOf(from);
    const target =
      reference === '#'
        ? resource.root
        : reference.startsWith('#/')
          ? this.#followed(reference.slice(2).split('/'), resource)
          : resource.anchors.get(reference.slice(1));
    if (typeof target === 'boolean' || isObject(target)) return target;
    throw new Error(`can't resolve reference ${reference}`);
  }

  #followed(steps: readonly string[], start: Resource): unknown {
    let at: unknown = start.root;
    let resource = start;
    for (const step of steps) {
      const name = decodeURIComponent(step).replace(/~1/g, '/').replace(/~0/g, '~');
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
      at = (at as Record<string, unknown>)[name];
      resource = (isObject(at) && this.#resources.get(at)) || resource;
    }
    // It may stand where no schema was looked for.
    if (isObject(at) && !this.#resources.has(at)) this.#add(at, resource);
    return at;
  }

  #add(schema: JsonSchema, around: Resource): void {
    const { $id, $anchor, $dynamicAnchor, $recursiveAnchor } = schema;
    const id = typeof $id === 'string' ? $id.replace(/#\/?$/, '') : '';
    const isResource = id !== '' && !id.startsWith('#') && around.root !== schema;
    const resource = isResource ? newResource(schema) : around;
    this.#resources.set(schema, resource);
    // In draft-07 an identifier may be an anchor.
    for (const name of [$anchor, $dynamicAnchor, id.startsWith('#') ? id.slice(1) : undefined]) {
      if (typeof name !== 'string') continue;
      if (!ANCHOR.test(name) && around.root !== schema) throw new Error(`invalid anchor "${name}"`);
      if (resource.anchors.has(name))
        throw new Error(`reference "#${name}" resolves to more than one schema`);
      resource.anchors.set(name, schema);
    }
    if (typeof $dynamicAnchor === 'string') resource.dynamic.set($dynamicAnchor, schema);
    if ($recursiveAnchor === true) resource.dynamic.set('', schema);
    this.tracks ||= 'unevaluatedItems' in schema || 'unevaluatedProperties' in schema;
    this.dynamic ||= '$dynamicRef' in schema || '$recursiveRef' in schema;
    for (const subschema of subschemasOf(schema)) if (isObject(subschema)) this.#add(subschema, resource);
  }
}

function newResource(root: JsonSchema): Resource {
  return { root, anchors: new Map(), dynamic: new Map() };
}
