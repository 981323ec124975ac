import { render } from 'preact';

function Page() {
  return <h1>Sigil</h1>;
}

render(<Page />, document.body);
