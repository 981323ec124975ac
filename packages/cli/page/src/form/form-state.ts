import { useMemo, useState } from 'preact/hooks';
import { emptyField, type Field, filledField, readForm } from './field.js';
import { SchemaDocument } from './schema.js';
import { violationsOf } from './validate.js';

/** A form of a schema, and what it would send. */
export interface FormState {
  readonly document: SchemaDocument;
  readonly field: Field;
  /** The whole as JSON, where the developer writes that instead. */
  readonly json: string | undefined;
  readonly value: unknown;
  /** What is wrong, by JSON pointer. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  setField(field: Field): void;
  setJson(text: string): void;
  /** Goes from the form to JSON, or back. */
  switchTo(mode: 'form' | 'json'): void;
}

/** Keeps the form of a schema. @param initial what stands in it at first. */
export function useForm(schema: unknown, initial: unknown): FormState {
  const document = useMemo(() => new SchemaDocument(schema), [schema]);
  const [field, setField] = useState<Field>(() =>
    initial === undefined ? emptyField(schema, document) : filledField(schema, initial, document),
  );
  const [json, setJson] = useState<string | undefined>(undefined);
  const { value, problems } = useMemo(() => {
    const whole: Field = json === undefined ? field : { kind: 'json', text: json };
    const read = readForm(whole, schema, document);
    const violations = read.problems.length > 0 ? [] : violationsOf(schema, read.value ?? {}, document);
    const found = new Map<string, string[]>();
    for (const { path, message } of [...read.problems, ...violations])
      found.set(path, [...(found.get(path) ?? []), message]);
    return { value: read.value, problems: found };
  }, [field, json, schema, document]);
  return {
    document,
    field,
    json,
    value,
    problems,
    setField,
    setJson,
    switchTo: (mode) => {
      if (mode === 'json') return setJson(JSON.stringify(value ?? {}, undefined, 2));
      setField(filledField(schema, value ?? {}, document));
      setJson(undefined);
    },
  };
}
