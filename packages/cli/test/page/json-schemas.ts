import fc from 'fast-check';

/** A schema, and the values that satisfy it. */
export interface Spec {
  readonly schema: Record<string, unknown>;
  readonly values: fc.Arbitrary<unknown>;
}

const name = fc.oneof(
  fc.constantFrom('name', 'size', 'constructor', 'a/b', 'x~y', '__proto__'),
  fc.string({ maxLength: 5 }),
);
const primitive = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const json = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
const of = (schema: Record<string, unknown>, values: fc.Arbitrary<unknown>): Spec => ({ schema, values });

const leaf: fc.Arbitrary<Spec> = fc.oneof(
  fc.constantFrom(
    of({ type: 'string' }, fc.string()),
    of({ type: 'string' }, fc.constantFrom('line one\nline two', '\r\n', '')),
    of({ type: 'string', minLength: 1, maxLength: 8 }, fc.string({ minLength: 1, maxLength: 8 })),
    of({ type: 'string', format: 'date' }, fc.constantFrom('2026-02-28', '1999-12-31')),
    of(
      { type: 'string', format: 'date-time' },
      fc.constantFrom('2026-02-28T10:00:00Z', '2026-02-28T10:00:00.5+02:00'),
    ),
    of({ type: 'string', format: 'email' }, fc.constant('ada@example.org')),
    of({ type: 'string', format: 'uri' }, fc.webUrl()),
    of({ type: 'string', contentEncoding: 'base64' }, fc.base64String()),
    of({ type: 'integer', minimum: -5, maximum: 5 }, fc.integer({ min: -5, max: 5 })),
    of({ type: 'integer' }, fc.maxSafeInteger()),
    of(
      { type: 'number' },
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
    ),
    of({ type: 'boolean', default: true }, fc.boolean()),
    of({ type: 'null' }, fc.constant(null)),
    of({ type: ['string', 'null'] }, fc.option(fc.string())),
    of({ type: ['integer', 'boolean', 'null'] }, fc.oneof(fc.integer(), fc.boolean(), fc.constant(null))),
    of({}, json),
    of({ type: 'object' }, fc.dictionary(name, json)),
    of({ description: 'Anything' }, json),
  ),
  fc
    .uniqueArray(primitive, { minLength: 1, maxLength: 4, selector: (one) => JSON.stringify(one) })
    .map((values) => of({ enum: values }, fc.constantFrom(...values))),
  json.map((value) => of({ const: value }, fc.constant(value))),
  fc
    .uniqueArray(fc.string(), { minLength: 2, maxLength: 4 })
    .map((values) =>
      of(
        { type: 'array', uniqueItems: true, items: { type: 'string', enum: values } },
        fc.shuffledSubarray(values),
      ),
    ),
);

/** Schemas of every kind that forms know, up to any depth, with values that satisfy them. */
export const { spec } = fc.letrec<{ spec: Spec }>((tie) => {
  const inner = tie('spec');
  const objects = fc
    .uniqueArray(fc.tuple(name, inner, fc.boolean()), { maxLength: 4, selector: ([key]) => key })
    .map((parts) => {
      const required = parts.filter(([, , isRequired]) => isRequired).map(([key]) => key);
      const properties = Object.fromEntries(parts.map(([key, { schema }]) => [key, schema]));
      const members = parts.map(([key, { values }, isRequired]) =>
        isRequired
          ? values.map((one) => [[key, one]])
          : fc.option(
              values.map((one) => [[key, one]]),
              { nil: [] },
            ),
      );
      const values = fc
        .tuple(...members)
        .map((entries) => Object.fromEntries(entries.flat() as [string, unknown][]));
      return of({ type: 'object', properties, required, additionalProperties: false }, values);
    });
  const arrays = inner.map(({ schema, values }) =>
    of({ type: 'array', items: schema }, fc.array(values, { maxLength: 3 })),
  );
  const tuples = fc
    .tuple(inner, inner)
    .map(([a, b]) =>
      of({ type: 'array', prefixItems: [a.schema, b.schema], minItems: 2 }, fc.tuple(a.values, b.values)),
    );
  const maps = inner.map(({ schema, values }) =>
    of({ type: 'object', additionalProperties: schema }, fc.dictionary(name, values, { maxKeys: 3 })),
  );
  const patterns = inner.map(({ schema, values }) =>
    of(
      { type: 'object', patternProperties: { '^x-': schema }, additionalProperties: false },
      fc.dictionary(
        name.map((key) => `x-${key}`),
        values,
        { maxKeys: 3 },
      ),
    ),
  );
  const unions = fc
    .tuple(fc.constantFrom('anyOf', 'oneOf'), fc.array(inner, { minLength: 1, maxLength: 3 }))
    .map(([key, ways]) =>
      of({ [key]: ways.map(({ schema }) => schema) }, fc.oneof(...ways.map(({ values }) => values))),
    );
  const shapes = fc.tuple(inner, inner).map(([a, b]) => {
    const way = (kind: string, one: Spec): Record<string, unknown> => ({
      type: 'object',
      properties: { kind: { const: kind }, value: one.schema },
      required: ['kind', 'value'],
    });
    const values = fc.oneof(
      a.values.map((value) => ({ kind: 'first', value })),
      b.values.map((value) => ({ kind: 'second', value })),
    );
    return of({ oneOf: [way('first', a), way('second', b)] }, values);
  });
  const joined = fc.tuple(inner, inner).map(([a, b]) =>
    of(
      {
        allOf: [
          { type: 'object', properties: { a: a.schema }, required: ['a'] },
          { properties: { b: b.schema } },
        ],
      },
      fc.record({ a: a.values, b: b.values }, { requiredKeys: ['a'] }),
    ),
  );
  return {
    spec: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      objects,
      arrays,
      tuples,
      maps,
      patterns,
      unions,
      shapes,
      joined,
    ),
  };
});
