import { options } from 'preact';
import { isObject } from '../../../src/json.js';

/**
 * Controls, characters that reorder text, and others without a shape: a text with them looks like another one. Joiners
 * and variation selectors after letters other than ASCII stay: emoji and scripts such as Persian need them.
 */
const INVISIBLE = /(?!(?<=[^\p{ASCII}\p{DI}]\ufe0f?)[\u200c\u200d\ufe0e\ufe0f])(?![\n\r\t])[\p{Cc}\p{DI}]/gu;

/** The attributes that people read or hear. */
const READ = ['title', 'alt', 'placeholder', 'aria-label'];

/** Writes invisible characters as JSON escapes, in all that the page shows. Values of fields are sent as they are. */
export function showInvisible(): void {
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
  return typeof value === 'string' ? value.replace(INVISIBLE, escaped) : value;
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
