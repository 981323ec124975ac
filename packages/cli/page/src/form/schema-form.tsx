import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { TypedArguments } from '../state/state.js';
import { counted } from '../views/parts.js';
import { pathsOf } from './field.js';
import { Suggestions } from './controls.js';
import { FieldView } from './field-view.js';
import { useForm } from './form-state.js';

/** A function that suggests values for a member. It receives the member's name and the value of the whole form. */
export type Suggest = (name: string, value: unknown) => Promise<readonly string[]>;

/**
 * Shows a form for a JSON Schema. Invalid input is reported, and can be sent nevertheless.
 *
 * @param label the label of the form.
 * @param initial the initial content.
 * @param submit the text of the button.
 * @param isDisabled whether the form cannot be sent.
 * @param onTyped a function that is called with the arguments that the developer has typed.
 * @param suggest a function that suggests values for text fields.
 * @param note a function that receives the value of the form, and returns a note to show below the fields.
 * @param children further buttons.
 */
export function SchemaForm({
  schema,
  label,
  initial,
  submit,
  isDisabled = false,
  suggest,
  note,
  onTyped,
  onSubmit,
  children,
}: {
  schema: unknown;
  label: string;
  initial?: TypedArguments | undefined;
  submit: string;
  isDisabled?: boolean;
  suggest?: Suggest | undefined;
  note?: (value: unknown) => string;
  onTyped?: (typed: TypedArguments) => void;
  onSubmit: (value: unknown) => void;
  children?: ComponentChildren;
}) {
  const form = useForm(schema, initial);
  const base = useId();
  const element = useRef<HTMLFormElement>(null);
  /** The problems at the last attempt to send the form. */
  const [warned, setWarned] = useState<unknown>(undefined);
  const { problems, value, json } = form;
  const isWarned = warned === form.value && problems.size > 0;
  const isUntouched = useRef(true);
  useEffect(() => {
    if (!isUntouched.current) onTyped?.({ value, json });
    isUntouched.current = false;
  }, [value, json]);
  const send = (): void => {
    if (isDisabled) return;
    if (problems.size === 0 || isWarned) return onSubmit(value ?? {});
    setWarned(value);
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
  };
  const shown = isWarned ? problems : NONE;
  const fields = json === undefined ? pathsOf(form.field) : [];
  const elsewhere = [...shown].filter(([path]) => !fields.includes(path));
  return (
    <form
      ref={element}
      noValidate
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        send();
      }}
    >
      {json === undefined ? (
        <Suggestions.Provider value={suggest && ((name) => suggest(name, value))}>
          <FieldView
            field={form.field}
            schema={form.document.root}
            document={form.document}
            path=""
            label="Value"
            isRequired
            base={base}
            problems={shown}
            onChange={(field) => form.setField(field ?? { kind: 'json', text: '' })}
          />
        </Suggestions.Provider>
      ) : (
        <textarea
          class="code whole"
          aria-label="Arguments as JSON"
          aria-invalid={shown.size > 0 ? 'true' : undefined}
          rows={8}
          spellcheck={false}
          value={json}
          onInput={({ currentTarget }) => form.setJson(currentTarget.value)}
        />
      )}
      {note && (
        <p>
          <code>{note(value)}</code>
        </p>
      )}
      <div role="alert">
        {isWarned && elsewhere.length < shown.size && (
          <p class="unseen">{`${counted(shown.size - elsewhere.length, 'field')} to correct`}</p>
        )}
        {elsewhere.length > 0 && (
          <ul class="problems">
            {elsewhere.map(([path, messages]) => (
              <li key={path}>
                {path && <code>{path}</code>} {messages.join('; ')}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div class="actions">
        <button type="submit" class="primary" disabled={isDisabled}>
          {isWarned ? `${submit} anyway` : submit}
        </button>
        {children}
        <button
          type="button"
          class="quiet"
          aria-pressed={json !== undefined}
          onClick={() => form.switchTo(json === undefined ? 'json' : 'form')}
        >
          JSON
        </button>
        <span class="muted keys">Ctrl+Enter</span>
      </div>
    </form>
  );
}

const NONE: ReadonlyMap<string, readonly string[]> = new Map();
