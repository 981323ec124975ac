import { options, render } from 'preact';
import { escapeOf, isObject } from '../../src/json.js';
import { Api } from './state/api.js';
import { Page } from './state/page.js';
import { App } from './views/app.js';
import { PageContext } from './views/page-context.js';

/**
 * Invisible characters: controls, characters that reorder text, and others without a shape. With them, two
 * different texts can look alike. Joiners and variation selectors after letters outside ASCII are excluded,
 * because emoji and scripts such as Persian need them.
 */
const INVISIBLE = /(?!(?<=[^\p{ASCII}\p{DI}]\ufe0f?)[\u200c\u200d\ufe0e\ufe0f])(?![\n\r\t])[\p{Cc}\p{DI}]/gu;

/** The attributes that are shown to people or read aloud. */
const READ = ['title', 'alt', 'placeholder', 'aria-label'];

/**
 * Replaces invisible characters by JSON escapes wherever the page shows text. The values of fields are sent
 * unchanged.
 */
function showInvisible(): void {
  options.vnode = (vnode) => {
    const node: { readonly type: unknown; props: unknown } = vnode;
    const { type, props } = node;
    // A text is a node without a type.
    if (type === null) node.props = withEscapes(props);
    else if (typeof type === 'string' && isObject(props))
      for (const name of READ) if (name in props) props[name] = withEscapes(props[name]);
  };
}

function withEscapes(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(INVISIBLE, escapeOf) : value;
}

/** Shown if the page was opened without its token. */
function Unknown() {
  return (
    <main class="unknown">
      <h1>Sigil</h1>
      <p>Open the link that sigil dev shows in the terminal: it contains the token of this page.</p>
    </main>
  );
}

showInvisible();
const api = Api.open();
if (api) {
  const page = new Page(api, location.hash);
  void page.start();
  render(
    <PageContext.Provider value={page}>
      <App />
    </PageContext.Provider>,
    document.body,
  );
} else {
  render(<Unknown />, document.body);
}
