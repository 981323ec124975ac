/** Whether a body is JSON, whatever parameters its media type has. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const end = contentType.indexOf(';');
  const type = end < 0 ? contentType : contentType.slice(0, end);
  return type.trim().toLowerCase() === 'application/json';
}

/** Whether a client accepts a media type. One that says nothing accepts everything (RFC 9110 §12.5.1). */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true;
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  return accept.split(',').some((part) => {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return !refused && (range === type || range === group || range === '*/*');
  });
}

/** Whether a client takes both forms an answer may have: one JSON object, or a stream of events. */
export function acceptsAnswer(accept: string | undefined): boolean {
  // What clients send nearly always, recognised without taking it apart.
  if (accept === undefined || accept === '*/*' || accept === 'application/json, text/event-stream')
    return true;
  return accepts(accept, 'application/json') && accepts(accept, 'text/event-stream');
}
