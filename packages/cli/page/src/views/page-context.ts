import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Page } from '../state/page.js';
import type { State } from '../state/state.js';

export const PageContext = createContext<Page | undefined>(undefined);

/** Returns the `Page` of the current view. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('A view is shown outside of the page');
  return page;
}

/** Returns the state of the page. A view that uses it is rendered again when the state changes. */
export function useStore(): State {
  const { store } = usePage();
  const [, setState] = useState(store.state);
  useEffect(() => store.subscribe(() => setState(store.state)), [store]);
  return store.state;
}
