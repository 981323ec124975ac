import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { isObject, type JsonObject } from '../../../src/json.js';
import { expand, variablesOf } from '../mcp/uri-template.js';
import { usePage, useStore } from './page-context.js';

interface Variable {
  readonly name: string;
  readonly description?: string | undefined;
  readonly isRequired?: boolean;
}

const COMPLETE_AFTER_MS = 150;

/** A form of texts with completion: the arguments of a prompt, or the variables of a template. */
export function VariablesForm({
  variables,
  template,
  reference,
  submit,
  onSubmit,
}: {
  variables?: readonly Variable[];
  template?: string;
  reference: JsonObject;
  submit: string;
  onSubmit: (values: Readonly<Record<string, string>>, uri: string) => void;
}) {
  const all = useMemo(
    () => variables ?? variablesOf(template ?? '').map((name): Variable => ({ name })),
    [variables, template],
  );
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const uri = template === undefined ? '' : expand(template, values);
  const send = (): void => onSubmit(values, uri);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {all.map((variable) => (
        <VariableField
          key={variable.name}
          variable={variable}
          value={values[variable.name] ?? ''}
          values={values}
          reference={reference}
          onChange={(text) => {
            const { [variable.name]: _before, ...others } = values;
            setValues(text === '' ? others : { ...others, [variable.name]: text });
          }}
        />
      ))}
      {template !== undefined && (
        <p>
          <code>{uri}</code>
        </p>
      )}
      <div class="actions">
        <button type="submit" class="primary">
          {submit}
        </button>
      </div>
    </form>
  );
}

function VariableField({
  variable: { name, description, isRequired },
  value,
  values,
  reference,
  onChange,
}: {
  variable: Variable;
  value: string;
  values: Readonly<Record<string, string>>;
  reference: JsonObject;
  onChange: (text: string) => void;
}) {
  const id = useId();
  const page = usePage();
  const { identity } = useStore();
  const [suggested, setSuggested] = useState<readonly string[]>([]);
  const [isTouched, setTouched] = useState(false);
  const completes = 'completions' in (identity?.capabilities ?? {});
  useEffect(() => {
    if (!completes || !isTouched) return undefined;
    const timer = setTimeout(() => {
      const { [name]: _own, ...others } = values;
      const params = { ref: reference, argument: { name, value }, context: { arguments: others } };
      page.request('completion/complete', params).then(
        ({ completion }) => {
          const found = isObject(completion) ? completion['values'] : undefined;
          setSuggested(Array.isArray(found) ? found.map(String) : []);
        },
        () => setSuggested([]),
      );
    }, COMPLETE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [value, isTouched, completes]);
  return (
    <div class="field">
      <label for={id}>
        {name}{' '}
        {isRequired && (
          <span class="required" aria-hidden="true">
            *
          </span>
        )}
      </label>
      <div class="control">
        <input
          id={id}
          list={`${id}-list`}
          autocomplete="off"
          value={value}
          aria-required={isRequired ? 'true' : undefined}
          aria-describedby={description === undefined ? undefined : `${id}-hint`}
          onFocus={() => setTouched(true)}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        <datalist id={`${id}-list`}>
          {suggested.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </div>
      {description !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {description}
        </p>
      )}
    </div>
  );
}
