// The page of `sigil dev` uses this file too, so it imports nothing.

/** The notification by which a view reports an error; its `text` is for people. */
export const VIEW_ERROR = 'sigil/view-error';

/** Runs before all scripts of a view. It is one line, so that the lines of errors are those of the view. */
const REPORTER = `<script>{
  const tell = (text) => parent.postMessage({ jsonrpc: '2.0', method: '${VIEW_ERROR}', params: { text } }, '*');
  addEventListener('error', ({ message, lineno }) => tell(message + ' (line ' + lineno + ')'));
  addEventListener('unhandledrejection', ({ reason }) => tell('Unhandled rejection: ' + reason));
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    tell('Its policy ' + effectiveDirective + ' refuses ' + blockedURI + ': see _meta.ui.csp of the resource'));
  document.currentScript.remove();
}</script>`.replaceAll('\n', ' ');

/** Has a view report its errors. @returns its document, which begins with its doctype as before. */
export function withReports(html: string): string {
  const [start = ''] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  return start + REPORTER + html.slice(start.length);
}
