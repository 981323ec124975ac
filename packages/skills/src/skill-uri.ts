/**
 * The URI of a file or folder of skills (SEP-2640, "Resource Mapping").
 *
 * @param segments the names from the folder of skills down.
 */
export function skillUri(segments: readonly string[]): string {
  return `skill://${segments.map(encode).join('/')}`;
}

/** Leaves nothing that has a meaning in a URI or in a URI template. */
function encode(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
