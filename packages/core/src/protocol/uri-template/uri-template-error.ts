/** A URI template breaks RFC 6570 or one of Sigil's bounds. */
export class UriTemplateError extends Error {
  override readonly name = 'UriTemplateError';

  /**
   * @param what what is wrong, without the place.
   * @param source the template.
   * @param offset where in the template, in UTF-16 code units from its start.
   */
  constructor(
    what: string,
    readonly source: string,
    readonly offset: number,
  ) {
    super(`${what} at offset ${offset} of URI template "${shorten(source)}"`);
  }
}

function shorten(source: string): string {
  return source.length > 200 ? `${source.slice(0, 200)}…` : source;
}
