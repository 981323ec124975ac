const NOT_UNRESERVED = /[^A-Za-z0-9\-._~]+/gu;
const NOT_URI = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+/gu;
const LEFT_BY_PLATFORM = /[!'()*]/g;

/**
 * Percent-encodes everything but unreserved characters (RFC 6570 §3.2.1, set U).
 *
 * @throws URIError for half of a surrogate pair.
 */
export function encodeUnreserved(text: string): string {
  return text.replace(NOT_UNRESERVED, encodeRun);
}

/**
 * Percent-encodes what no URI may contain; keeps reserved characters and triplets (RFC 6570 §3.2.1, set U+R).
 *
 * @throws URIError for half of a surrogate pair.
 */
export function encodeReserved(text: string): string {
  return text.replace(NOT_URI, encodeRun);
}

function encodeRun(text: string): string {
  return encodeURIComponent(text).replace(
    LEFT_BY_PLATFORM,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
