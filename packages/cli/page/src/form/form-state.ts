import { useMemo, useState } from 'preact/hooks';
import { emptyField, type Field, filledField, followedField, readForm } from './field.js';
import { SchemaDocument } from './schema.js';
import { violationsOf } from './validate.js';
import type { TypedArguments } from '../state/state.js';

/** The form of a schema, and its value. */
export interface FormState {
  readonly document: SchemaDocument;
  readonly field: Field;
  /** The value as JSON text, if the developer edits it as JSON. */
  readonly json: string | undefined;
  readonly value: unknown;
  /** The problems of each field. The key is the JSON pointer of the field. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  setField(field: Field): void;
  setJson(text: string): void;
  /** Switches between the form and JSON. */
  switchTo(mode: 'form' | 'json'): void;
}

/**
 * Returns the form of a schema. The form follows changes of the schema. @param initial the initial content.
 */
export function useForm(given: unknown, initial: TypedArguments | undefined): FormState {
  // Lists are read anew at every start of the server: most schemas are the same as before.
  const text = JSON.stringify(given);
  const document = useMemo(() => new SchemaDocument(given), [text]);
  const schema = document.root;
  const [kept, setKept] = useState(() => ({
    document,
    field:
      initial?.value === undefined
        ? emptyField(schema, document)
        : keptField(schema, initial.value, document),
  }));
  const field = useMemo(() => {
    const before = { schema: kept.document.root, document: kept.document };
    return kept.document === document ? kept.field : followedField(kept.field, before, { schema, document });
  }, [kept, document]);
  const setField = (next: Field): void => setKept({ document, field: next });
  const [json, setJson] = useState(initial?.json);
  const { value, problems } = useMemo(() => {
    const whole: Field = json === undefined ? field : { kind: 'json', text: json };
    const read = readForm(whole, schema, document);
    // Unreadable text is sent as it is, and would be reported twice.
    const unread = new Set(read.problems.map(({ path }) => path));
    const violations = violationsOf(schema, read.value ?? {}, document).filter(
      ({ path }) => !unread.has(path),
    );
    const found = new Map<string, string[]>();
    for (const { path, message } of [...read.problems, ...violations]) {
      const before = found.get(path) ?? [];
      if (!before.includes(message)) found.set(path, [...before, message]);
    }
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

/** Returns a field with an earlier value, if the value fits the schema. */
function keptField(schema: unknown, value: unknown, document: SchemaDocument): Field {
  const placed = { schema, document };
  return followedField(filledField(schema, value, document), placed, placed);
}
