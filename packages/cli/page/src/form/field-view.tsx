import type { ComponentChildren } from 'preact';
import { textOf } from '../mcp/messages.js';
import {
  BooleanControl,
  ChoiceControl,
  type ControlProps,
  FileControl,
  JsonControl,
  NumberControl,
  SeveralControl,
  TextControl,
} from './controls.js';
import { addedField, emptyField, type Extra, type Field, itemSchema } from './field.js';
import { pointerStep, type SchemaDocument, type Shape, shapeOf, type UnionOption } from './schema.js';

interface FieldProps {
  readonly field: Field | undefined;
  readonly schema: unknown;
  readonly document: SchemaDocument;
  /** The JSON pointer of the field. */
  readonly path: string;
  readonly label: string;
  readonly isRequired: boolean;
  /** The common prefix of all ids in the form. */
  readonly base: string;
  readonly problems: ReadonlyMap<string, readonly string[]>;
  readonly onChange: (field: Field | undefined) => void;
}

/** One field of a form, with its nested fields. */
export function FieldView(props: FieldProps) {
  const { field, schema, document, path, label, isRequired, base, problems, onChange } = props;
  const shape = shapeOf(schema, document);
  const id = `${base}${encodeURIComponent(path)}`;
  const { description } = document.resolve(schema) ?? {};
  const hint = [textOf(description), constraintsOf(schema, document)].filter(Boolean).join(' · ');
  const found = problems.get(path) ?? [];
  // The field of the chosen way is at the same place.
  const isShownInside =
    shape.kind === 'union' && field?.kind === 'union' && !isNull(shape.options[field.option]);
  const notes = [hint && `${id}-hint`, found.length > 0 && `${id}-problems`].filter(Boolean).join(' ');
  const remarks = (
    <>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {found.length > 0 && !isShownInside && (
        <p class="problem" id={`${id}-problems`}>
          {found.join('; ')}
        </p>
      )}
    </>
  );
  const control = { id, describedBy: notes || undefined, isInvalid: found.length > 0, isRequired, onChange };
  const isOdd = field?.kind === 'json' && shape.kind !== 'json';
  const isGroup = !isOdd && (shape.kind === 'object' || shape.kind === 'array');
  if (isGroup) return <GroupView {...props} shape={shape} remarks={remarks} />;
  if (shape.kind === 'union' && !isOdd)
    return <UnionView {...props} shape={shape} id={id} remarks={remarks} />;
  return (
    <div class="field">
      <label for={id}>
        {label} {isRequired && <Required />}
      </label>
      <div class="control">
        <Control
          {...control}
          shape={isOdd ? { kind: 'json' } : shape}
          field={field}
          label={label}
          schema={schema}
          document={document}
        />
        {isOdd && (
          <button type="button" class="small" onClick={() => onChange(emptyField(schema, document))}>
            Use the form
          </button>
        )}
        {shape.kind === 'text' && !isRequired && !field?.kind && (
          <button
            type="button"
            class="small quiet"
            title="Send an empty text"
            aria-label={`Send an empty text as ${label}`}
            onClick={() => onChange({ kind: 'text', text: '' })}
          >
            ""
          </button>
        )}
        {field?.kind === 'text' && field.text === '' && !isRequired && <span class="muted">empty text</span>}
      </div>
      {remarks}
    </div>
  );
}

function Required() {
  return (
    <span class="required" title="required" aria-hidden="true">
      *
    </span>
  );
}

function Control({
  shape,
  field,
  schema,
  document,
  label,
  ...props
}: ControlProps<Field> & {
  shape: Shape;
  field: Field | undefined;
  schema: unknown;
  document: SchemaDocument;
  label: string;
}) {
  /** Returns the field, if it has a kind that a given control shows. */
  const of = <K extends Field['kind']>(...kinds: readonly K[]): Extract<Field, { kind: K }> | undefined =>
    field && (kinds as readonly string[]).includes(field.kind)
      ? (field as Extract<Field, { kind: K }>)
      : undefined;
  const placeholder = exampleOf(schema, document);
  switch (shape.kind) {
    case 'text':
      return (
        <TextControl
          {...props}
          field={of('text')}
          input={shape.input}
          label={label}
          placeholder={placeholder}
        />
      );
    case 'number':
      return <NumberControl {...props} field={of('number')} placeholder={placeholder} />;
    case 'boolean':
      return <BooleanControl {...props} field={of('boolean')} />;
    case 'choice':
      return <ChoiceControl {...props} field={of('choice')} choices={shape.choices} />;
    case 'several':
      return <SeveralControl {...props} field={of('several')} choices={shape.choices} label={label} />;
    case 'file':
      return <FileControl {...props} field={of('file')} />;
    default:
      return <JsonControl {...props} field={of('json')} />;
  }
}

function exampleOf(schema: unknown, document: SchemaDocument): string | undefined {
  const { examples } = document.resolve(schema) ?? {};
  const [first] = Array.isArray(examples) ? (examples as unknown[]) : [];
  return first === undefined ? undefined : typeof first === 'string' ? first : JSON.stringify(first);
}

const CONSTRAINTS: Readonly<Record<string, string>> = {
  minimum: '≥',
  exclusiveMinimum: '>',
  maximum: '≤',
  exclusiveMaximum: '<',
  multipleOf: 'multiple of',
  minLength: 'characters ≥',
  maxLength: 'characters ≤',
  minItems: 'items ≥',
  maxItems: 'items ≤',
  pattern: 'pattern',
};

function constraintsOf(schema: unknown, document: SchemaDocument): string {
  const resolved = document.resolve(schema) ?? {};
  return Object.entries(CONSTRAINTS)
    .flatMap(([key, text]) => (key in resolved ? [`${text} ${String(resolved[key])}`] : []))
    .join(', ');
}

function isNull(option: UnionOption | undefined): boolean {
  return option?.schema['type'] === 'null';
}

/** A choice between the options of a union, and the field of the selected option. */
function UnionView({
  shape,
  id,
  remarks,
  ...props
}: FieldProps & { shape: Extract<Shape, { kind: 'union' }>; id: string; remarks: ComponentChildren }) {
  const { field, document, label, isRequired, onChange } = props;
  const union = field?.kind === 'union' ? field : undefined;
  const option = union && shape.options[union.option];
  const isNothing = isNull(option);
  const isInvalid = props.problems.has(props.path) && (!option || isNothing);
  return (
    <div class="union">
      <div class="field">
        <label for={id}>
          {label} {isRequired && <Required />}
        </label>
        <div class="control">
          <select
            id={id}
            aria-invalid={isInvalid ? 'true' : undefined}
            value={String(union?.option ?? -1)}
            onChange={({ currentTarget: { value } }) => {
              const chosen = shape.options[Number(value)];
              onChange(
                chosen && {
                  kind: 'union',
                  option: Number(value),
                  field: emptyField(chosen.schema, document),
                },
              );
            }}
          >
            {(!isRequired || !union) && <option value="-1">{isRequired ? 'Choose…' : '(left out)'}</option>}
            {shape.options.map(({ title }, index) => (
              <option key={index} value={String(index)}>
                {title}
              </option>
            ))}
          </select>
        </div>
        {remarks}
      </div>
      {union && option && !isNothing && (
        <div class="chosen">
          <FieldView
            {...props}
            key={union.option}
            base={`${props.base}u${union.option}`}
            schema={option.schema}
            field={union.field}
            label={option.title}
            isRequired
            onChange={(inner) => onChange({ ...union, field: inner ?? emptyField(option.schema, document) })}
          />
        </div>
      )}
    </div>
  );
}

/** The fields of an object or a list. */
function GroupView({
  shape,
  remarks,
  ...props
}: FieldProps & { shape: Extract<Shape, { kind: 'object' | 'array' }>; remarks: ComponentChildren }) {
  const { field, schema, document, path, label, isRequired, problems, onChange } = props;
  if (path === '' && field?.kind === 'object' && shape.kind === 'object')
    return <ObjectFields {...props} shape={shape} field={field} />;
  return (
    <fieldset>
      <legend>
        {label} {isRequired && <Required />}
        {!isRequired && (
          <button
            type="button"
            class="small"
            aria-invalid={problems.has(path) ? 'true' : undefined}
            aria-label={`${field ? 'Remove' : 'Add'} ${label}`}
            onClick={() => onChange(field ? undefined : addedField(schema, document))}
          >
            {field ? 'Remove' : 'Add'}
          </button>
        )}
      </legend>
      {remarks}
      {shape.kind === 'object' && field?.kind === 'object' && (
        <ObjectFields {...props} shape={shape} field={field} />
      )}
      {shape.kind === 'array' && field?.kind === 'array' && <Items {...props} shape={shape} field={field} />}
    </fieldset>
  );
}

type ObjectField = Extract<Field, { kind: 'object' }>;

function ObjectFields({
  shape,
  field,
  ...props
}: Omit<FieldProps, 'field'> & { shape: Extract<Shape, { kind: 'object' }>; field: ObjectField }) {
  const { document, path, base, onChange } = props;
  const { members, extras } = field;
  const setExtra = (index: number, extra: Extra | undefined): void =>
    onChange({ ...field, extras: extra ? extras.with(index, extra) : extras.toSpliced(index, 1) });
  if (path === '' && members.length === 0 && !shape.extras && extras.length === 0)
    return <p class="muted">It takes no arguments.</p>;
  return (
    <div class="members">
      {members.map(({ name, field: inner }, index) => {
        const property = shape.properties.find((one) => one.name === name);
        return (
          <FieldView
            {...props}
            key={name}
            field={inner}
            schema={property?.schema}
            path={`${path}/${pointerStep(name)}`}
            label={textOf(document.resolve(property?.schema)?.['title']) ?? name}
            isRequired={property?.isRequired ?? false}
            onChange={(next) => onChange({ ...field, members: members.with(index, { name, field: next }) })}
          />
        );
      })}
      {extras.map((extra, index) => (
        <div class="extra" key={index}>
          <input
            class="code"
            aria-label={`Name of property ${index + 1}`}
            value={extra.name}
            onInput={({ currentTarget: { value } }) => setExtra(index, { ...extra, name: value })}
          />
          <FieldView
            {...props}
            base={`${base}x${index}`}
            field={extra.field}
            schema={shape.extras?.schemaOf(extra.name) ?? true}
            path={`${path}/${pointerStep(extra.name)}`}
            label={extra.name || 'value'}
            isRequired
            onChange={(next) => setExtra(index, { ...extra, field: next ?? { kind: 'json', text: '' } })}
          />
          <button
            type="button"
            class="small"
            aria-label={`Remove property ${extra.name}`}
            onClick={() => setExtra(index, undefined)}
          >
            Remove
          </button>
        </div>
      ))}
      {shape.extras && (
        <button
          type="button"
          class="small"
          onClick={() => {
            const name = '';
            const added = emptyField(shape.extras?.schemaOf(name), document);
            onChange({ ...field, extras: [...extras, { name, field: added }] });
          }}
        >
          Add a property
        </button>
      )}
    </div>
  );
}

function Items({
  shape,
  field,
  ...props
}: Omit<FieldProps, 'field'> & {
  shape: Extract<Shape, { kind: 'array' }>;
  field: Extract<Field, { kind: 'array' }>;
}) {
  const { document, path, label, onChange } = props;
  const { items } = field;
  const isOpen = shape.items !== false;
  return (
    <>
      <ol class="items">
        {items.map((item, index) => (
          <li key={index}>
            <FieldView
              {...props}
              field={item}
              schema={itemSchema(shape, index)}
              path={`${path}/${index}`}
              label={`${label} ${index + 1}`}
              isRequired
              onChange={(next) =>
                onChange({ ...field, items: items.with(index, next ?? { kind: 'json', text: '' }) })
              }
            />
            <button
              type="button"
              class="small"
              aria-label={`Remove ${label} ${index + 1}`}
              onClick={() => onChange({ ...field, items: items.toSpliced(index, 1) })}
            >
              Remove
            </button>
          </li>
        ))}
      </ol>
      {isOpen && (
        <button
          type="button"
          class="small"
          onClick={() =>
            onChange({ ...field, items: [...items, emptyField(itemSchema(shape, items.length), document)] })
          }
        >
          {`Add to ${label}`}
        </button>
      )}
    </>
  );
}
