import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Field } from './field.js';
import type { Choice, TextInput } from './schema.js';

/** Properties that all controls have. */
export interface ControlProps<F extends Field> {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  readonly isRequired: boolean;
  readonly field: F | undefined;
  readonly onChange: (field: Field | undefined) => void;
}

type TextField = Extract<Field, { text: string }>;

function attributes({ id, describedBy, isInvalid, isRequired }: ControlProps<Field>) {
  return {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid ? ('true' as const) : undefined,
    'aria-required': isRequired ? ('true' as const) : undefined,
  };
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const UTC = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z$/;

/** A text field, with a preview according to its format. */
export function TextControl(
  props: ControlProps<TextField> & { input: TextInput; label: string; placeholder: string | undefined },
) {
  const { field, id, input, isRequired, label, onChange, placeholder } = props;
  const suggested = useSuggestions(label, field?.text ?? '');
  const text = field?.text ?? '';
  const set = (next: string): void =>
    onChange(next === '' && !isRequired ? undefined : { kind: 'text', text: next });
  const shared = { ...attributes(props), placeholder, autocomplete: 'off', spellcheck: false };
  const onInput = (event: { currentTarget: { value: string } }): void => set(event.currentTarget.value);
  if (suggested)
    return (
      <>
        <input {...shared} list={`${id}-list`} value={text} onInput={onInput} onFocus={suggested.begin} />
        <datalist id={`${id}-list`}>
          {suggested.values.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </>
    );
  if (input === 'date' && (text === '' || DATE.test(text)))
    return <input {...shared} type="date" value={text} onInput={onInput} />;
  if (input === 'date-time' && (text === '' || UTC.test(text))) {
    // Browsers omit seconds that are 0.
    const toUtc = (value: string): string =>
      value === '' ? '' : `${value.length === 16 ? `${value}:00` : value}Z`;
    return (
      <span class="with-unit">
        <input
          {...shared}
          type="datetime-local"
          step="1"
          value={text.replace('Z', '')}
          onInput={(event) => set(toUtc(event.currentTarget.value))}
        />
        <span class="muted">UTC</span>
      </span>
    );
  }
  if (input === 'text') return <textarea {...shared} rows={1} value={text} onInput={onInput} />;
  if (input === 'email') return <input {...shared} type="email" value={text} onInput={onInput} />;
  if (input === 'url') return <input {...shared} type="url" value={text} onInput={onInput} />;
  if (input === 'password') return <input {...shared} type="password" value={text} onInput={onInput} />;
  return <input {...shared} type="text" value={text} onInput={onInput} />;
}

/** Context with the function that suggests values for a text field, given the field's label. */
export const Suggestions = createContext<((label: string) => Promise<readonly string[]>) | undefined>(
  undefined,
);

const SUGGEST_AFTER_MS = 150;

/**
 * Returns the suggested values for a text, once the field has been focused; `undefined` in a form without
 * suggestions.
 */
function useSuggestions(label: string, text: string) {
  const suggest = useContext(Suggestions);
  const [values, setValues] = useState<readonly string[]>([]);
  const [isTouched, setTouched] = useState(false);
  useEffect(() => {
    if (!suggest || !isTouched) return undefined;
    const timer = setTimeout(() => suggest(label).then(setValues, () => setValues([])), SUGGEST_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, isTouched, !suggest]);
  return suggest && { values, begin: () => setTouched(true) };
}

/** A field for a number. Shows the text as it was typed. */
export function NumberControl(props: ControlProps<TextField> & { placeholder: string | undefined }) {
  const { field, onChange, isRequired, placeholder } = props;
  return (
    <input
      {...attributes(props)}
      type="text"
      inputMode="decimal"
      autocomplete="off"
      placeholder={placeholder}
      value={field?.text ?? ''}
      onInput={({ currentTarget: { value } }) =>
        onChange(value === '' && !isRequired ? undefined : { kind: 'number', text: value })
      }
    />
  );
}

/** A field for any JSON value. */
export function JsonControl(props: ControlProps<TextField>) {
  const { field, onChange } = props;
  const text = field?.text ?? '';
  return (
    <textarea
      {...attributes(props)}
      class="code"
      rows={2}
      spellcheck={false}
      placeholder="JSON"
      value={text}
      onInput={({ currentTarget: { value } }) =>
        onChange(value === '' ? undefined : { kind: 'json', text: value })
      }
    />
  );
}

/** A field for a file, which is sent as base64. */
export function FileControl(props: ControlProps<TextField>) {
  const { field, id, onChange, isRequired } = props;
  const text = field?.text ?? '';
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
    onChange({ kind: 'file', text: btoa(letters), fileName: file.name });
  };
  return (
    <div class="file">
      <input
        {...attributes(props)}
        type="file"
        onChange={(event) => void read(event.currentTarget.files?.[0])}
      />
      <label class="muted" for={`${id}-text`}>
        {field?.fileName === undefined ? 'or base64' : `${field.fileName}, as base64`}
      </label>
      <input
        id={`${id}-text`}
        class="code"
        type="text"
        value={text}
        onInput={({ currentTarget: { value } }) =>
          onChange(value === '' && !isRequired ? undefined : { kind: 'file', text: value })
        }
      />
    </div>
  );
}

/** A field for true or false. An optional value can also be left out. */
export function BooleanControl(props: ControlProps<Extract<Field, { kind: 'boolean' }>>) {
  const { field, isRequired, onChange } = props;
  if (isRequired)
    return (
      <input
        {...attributes(props)}
        type="checkbox"
        checked={field?.value ?? false}
        onChange={({ currentTarget: { checked } }) => onChange({ kind: 'boolean', value: checked })}
      />
    );
  return (
    <select
      {...attributes(props)}
      value={field ? String(field.value) : ''}
      onChange={({ currentTarget: { value } }) =>
        onChange(value === '' ? undefined : { kind: 'boolean', value: value === 'true' })
      }
    >
      <option value="">(left out)</option>
      <option value="true">true</option>
      <option value="false">false</option>
    </select>
  );
}

/** A field for one of several values. */
export function ChoiceControl(
  props: ControlProps<Extract<Field, { kind: 'choice' }>> & { choices: readonly Choice[] },
) {
  const { field, isRequired, choices, onChange } = props;
  const index = field?.index ?? -1;
  return (
    <select
      {...attributes(props)}
      value={String(index)}
      onChange={({ currentTarget: { value } }) =>
        onChange(value === '-1' ? undefined : { kind: 'choice', index: Number(value) })
      }
    >
      {(!isRequired || index === -1) && <option value="-1">{isRequired ? 'Choose…' : '(left out)'}</option>}
      {choices.map(({ title }, place) => (
        <option key={place} value={String(place)}>
          {title}
        </option>
      ))}
    </select>
  );
}

/** A field to select any number of the allowed values. */
export function SeveralControl(
  props: ControlProps<Extract<Field, { kind: 'several' }>> & { choices: readonly Choice[]; label: string },
) {
  const { id, describedBy, field, isInvalid, isRequired, choices, label, onChange } = props;
  const indexes = field?.indexes ?? [];
  const toggle = (index: number): void => {
    const next = indexes.includes(index) ? indexes.filter((one) => one !== index) : [...indexes, index];
    onChange(next.length === 0 && !isRequired ? undefined : { kind: 'several', indexes: next });
  };
  return (
    <div class="several" role="group" id={id} aria-label={label} aria-describedby={describedBy}>
      {choices.map(({ title }, index) => (
        <label key={index}>
          <input
            type="checkbox"
            aria-invalid={isInvalid ? 'true' : undefined}
            checked={indexes.includes(index)}
            onChange={() => toggle(index)}
          />{' '}
          {title}
        </label>
      ))}
    </div>
  );
}
