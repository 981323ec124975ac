import { parseExactly } from '../../../src/exact-numbers.js';
import { isObject } from '../../../src/json.js';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

/** Maximum number of members of a value, and of characters of a text, that are shown initially. */
const MOST_MEMBERS = 100;
const MOST_CHARACTERS = 10_000;

/** Shows a JSON value that can be folded. */
export function Json({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }) {
  const [most, setMost] = useState(MOST_MEMBERS);
  const label = name === undefined ? null : <span class="json-name">{name}: </span>;
  const isList = Array.isArray(value);
  if (!isList && !isObject(value))
    return (
      <div class="json-line">
        {label}
        <span class={`json-${value === null ? 'null' : typeof value}`}>{leafText(value)}</span>
      </div>
    );
  const members = isList
    ? value.map((one: unknown, index) => [String(index), one] as const)
    : Object.entries(value);
  const [open, close] = isList ? '[]' : '{}';
  if (members.length === 0)
    return (
      <div class="json-line">
        {label}
        {open}
        {close}
      </div>
    );
  return (
    <details class="json" open={depth < 5 && members.length <= 50}>
      <summary>
        {label}
        {open} <span class="muted">{counted(members.length, isList ? 'item' : 'member')}</span> {close}
      </summary>
      <div class="json-members">
        {members.slice(0, most).map(([key, one]) => (
          <Json key={key} name={key} value={one} depth={depth + 1} />
        ))}
        {members.length > most && (
          <button type="button" class="link" onClick={() => setMost(most * 10)}>
            {`Show more of ${members.length}`}
          </button>
        )}
      </div>
    </details>
  );
}

function leafText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

/** Shows a text with its line breaks. */
export function Text({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > MOST_CHARACTERS && !isWhole;
  return (
    <>
      <pre class="text" tabIndex={0}>
        {isLong ? text.slice(0, MOST_CHARACTERS) : text}
      </pre>
      {isLong && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {`Show all ${text.length.toLocaleString('en')} characters`}
        </button>
      )}
    </>
  );
}

/** Shows a text as JSON. A text that is not JSON, or whose numbers would be rounded, is shown unchanged. */
export function JsonText({ text }: { text: string }) {
  const value = parseExactly(text);
  return value === undefined ? <Text text={text} /> : <Json value={value} />;
}

/** One tab with its panel. */
export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly count?: number;
  readonly content: () => ComponentChildren;
}

/** Tabs that show one panel at a time. The arrow keys, Home and End switch between them. */
export function Tabs({
  label,
  tabs,
  shown,
  onShow,
}: {
  label: string;
  tabs: readonly Tab[];
  shown?: string;
  onShow?: (id: string) => void;
}) {
  const [own, setOwn] = useState(tabs[0]?.id);
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const show = (id: string): void => {
    setOwn(id);
    onShow?.(id);
  };
  const current = tabs.find(({ id }) => id === (shown ?? own)) ?? tabs[0];
  const index = tabs.findIndex(({ id }) => id === current?.id);
  const onKeyDown = (event: KeyboardEvent): void => {
    const place = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }[event.key];
    const next = place === undefined ? undefined : tabs.at(place % tabs.length);
    if (!next) return;
    event.preventDefault();
    show(next.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ id, title, count }) => (
          <button
            type="button"
            role="tab"
            key={id}
            id={`${base}-tab-${id}`}
            data-tab={id}
            aria-selected={id === current?.id}
            aria-controls={`${base}-panel`}
            tabIndex={id === current?.id ? 0 : -1}
            onClick={() => show(id)}
          >
            {title}
            {count ? <span class="count">{count > 99 ? '99+' : count}</span> : null}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${base}-panel`}
        aria-labelledby={current ? `${base}-tab-${current.id}` : undefined}
        tabIndex={0}
        key={current?.id}
      >
        {current?.content()}
      </div>
    </div>
  );
}

/** A dialog over the page. Esc closes it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** Shows a time of day with milliseconds. */
export function Time({ at }: { at: Date }) {
  const text = `${at.toLocaleTimeString('en-GB')}.${String(at.getMilliseconds()).padStart(3, '0')}`;
  return <time dateTime={at.toISOString()}>{text}</time>;
}

/** Returns a count with a noun, such as `2 calls`. */
export function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** Formats a duration in milliseconds for people. */
export function duration(ms: number): string {
  return ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** Formats a size in bytes for people. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
