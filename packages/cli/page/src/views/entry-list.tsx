import { useRef, useState } from 'preact/hooks';
import { textOf, shown } from '../mcp/messages.js';
import { entriesOf, type Entry, type Kind, KINDS } from '../state/state.js';
import { FOR_VIEWS, isForModels } from '../../../src/check/visibility.js';
import { usePage, useStore } from './page-context.js';

/** The list of all definitions and tasks. The arrow keys move between them. */
export function EntryList() {
  const page = usePage();
  const state = useStore();
  const [filter, setFilter] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ key, descriptor }: Entry): boolean => {
    const text =
      `${key} ${textOf(descriptor['title']) ?? ''} ${textOf(descriptor['description']) ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const buttons = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>('button') ?? [])];
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = buttons();
    const next = all[all.indexOf(document.activeElement as HTMLElement) + step];
    if (next) next.focus();
    else if (step === -1) document.getElementById('filter')?.focus();
  };
  const { selected, tasks, served } = state;
  const lists = (Object.keys(KINDS) as Kind[]).map((kind) => {
    const all = entriesOf(state, kind);
    return { kind, isServed: all.length > 0, shown: all.filter(fits) };
  });
  const isSelected = ({ kind, key }: Entry): boolean => selected?.kind === kind && selected.key === key;
  const every = lists.flatMap(({ shown }) => shown);
  // The list is one stop of the Tab key: arrow keys lead on.
  const stop = every.find(isSelected) ?? every[0];
  return (
    <nav aria-label="Definitions" onKeyDown={onKeyDown}>
      <input
        id="filter"
        type="search"
        placeholder="Filter"
        aria-label="Filter"
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      <div ref={list}>
        {lists.map(({ kind, isServed, shown }) => {
          if (!isServed) return null;
          return (
            <section key={kind} aria-label={KINDS[kind].title}>
              <h2>
                {KINDS[kind].title} <span class="count">{shown.length}</span>
              </h2>
              <ul>
                {shown.map((entry) => (
                  <EntryButton
                    key={entry.key}
                    entry={entry}
                    tokens={kind === 'tool' ? served?.report.tokens[entry.key] : undefined}
                    isSelected={isSelected(entry)}
                    isStop={entry === stop}
                    onSelect={() => page.select({ kind, key: entry.key })}
                  />
                ))}
              </ul>
            </section>
          );
        })}
        {tasks.length > 0 && (
          <section aria-label="Tasks">
            <h2>
              Tasks <span class="count">{tasks.length}</span>
            </h2>
            <ul>
              {tasks.map(({ taskId, title, state: task }) => (
                <li key={taskId}>
                  <button
                    type="button"
                    class="entry"
                    aria-current={selected?.kind === 'task' && selected.key === taskId ? 'true' : undefined}
                    onClick={() => page.select({ kind: 'task', key: taskId })}
                  >
                    <span class="name">{title}</span> <span class="muted">{shown(task['status'])}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </nav>
  );
}

function EntryButton({
  entry: { key, descriptor, isVisible },
  tokens,
  isSelected,
  isStop,
  onSelect,
}: {
  entry: Entry;
  tokens: number | undefined;
  isSelected: boolean;
  isStop: boolean;
  onSelect: () => void;
}) {
  const isModels = isForModels(descriptor);
  return (
    <li>
      <button
        type="button"
        class={isVisible ? 'entry' : 'entry hidden-entry'}
        aria-current={isSelected ? 'true' : undefined}
        tabIndex={isStop ? 0 : -1}
        title={[key, textOf(descriptor['description'])].filter(Boolean).join(': ')}
        onClick={onSelect}
      >
        <span class="name">{key}</span>
        {!isVisible && <span class="muted">hidden</span>}
        {!isModels && (
          <span class="muted" title={FOR_VIEWS}>
            views only
          </span>
        )}
        {isModels && tokens !== undefined && (
          <span class="tokens" title={`about ${tokens} tokens`}>
            {tokens} <span class="unseen">tokens</span>
          </span>
        )}
      </button>
    </li>
  );
}
