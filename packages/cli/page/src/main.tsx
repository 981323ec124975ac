import { render } from 'preact';
import { Api } from './state/api.js';
import { Page } from './state/page.js';
import { App } from './views/app.js';
import { showInvisible } from './views/invisible.js';
import { PageContext } from './views/page-context.js';

/** Shown if the page was opened without its token. */
function Unknown() {
  return (
    <main class="unknown">
      <h1>Sigil</h1>
      <p>Open the link that sigil dev shows in the terminal: it holds the token of this page.</p>
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
