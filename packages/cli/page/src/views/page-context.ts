import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Page } from '../state/page.js';
import type { State } from '../state/state.js';

export const PageContext = createContext<Page | undefined>(undefined);

/** The page that a view belongs to. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('A view is shown outside of the page');
  return page;
}

/** The state of the page; a view that uses it is drawn again when it changes. */
export function useStore(): State {
  const { store } = usePage();
  const [, setState] = useState(store.state);
  useEffect(() => store.subscribe(() => setState(store.state)), [store]);
  return store.state;
}
