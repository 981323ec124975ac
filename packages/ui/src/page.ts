import type { HostChannel } from './host-channel.js';
import type { HostContext } from './protocol.js';

/**
 * Applies the host's theme, CSS variables and fonts to the page. The theme sets `color-scheme` and `data-theme` of the
 * document. Your CSS can use the variables, as in `var(--color-text-primary, CanvasText)`.
 *
 * @param context the host's context.
 * @example
 * ```ts
 * view.onContext(applyStyles);
 * ```
 */
export function applyStyles({ theme, styles }: HostContext): void {
  const { documentElement, head } = document;
  if (theme) {
    documentElement.dataset['theme'] = theme;
    documentElement.style.colorScheme = theme;
  }
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (value) documentElement.style.setProperty(name, value);
  const fonts = styles?.css?.fonts;
  if (!fonts) return;
  const id = 'host-fonts';
  const element = document.getElementById(id) ?? head.appendChild(document.createElement('style'));
  element.id = id;
  element.textContent = fonts;
}

/**
 * Reports the size of the document to the host, now and after each change. @returns a function that stops the reports.
 */
export function reportSizes(channel: HostChannel): () => void {
  const { documentElement } = document;
  const observer = new ResizeObserver(() => {
    const { width, height } = documentElement.getBoundingClientRect();
    channel.notify('ui/notifications/size-changed', { width: Math.ceil(width), height: Math.ceil(height) });
  });
  observer.observe(documentElement);
  return () => observer.disconnect();
}
