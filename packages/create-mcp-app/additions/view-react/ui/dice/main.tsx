import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { connectView } from './view.js';

const root = createRoot(document.querySelector('#app')!);

connectView().then(
  (view) => root.render(<App view={view} />),
  (error: unknown) => root.render(<p role="alert">{String(error)}</p>),
);
