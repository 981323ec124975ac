import { mount } from 'svelte';
import App from './app.svelte';
import { connectView } from './view.js';

const target = document.querySelector('#app')!;

connectView().then(
  (view) => mount(App, { target, props: { view } }),
  (error: unknown) => (target.textContent = String(error)),
);
