/** Narrows to an object that is neither `null` nor an array. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a message wants a response. */
export function isRequest(message: unknown): boolean {
  return isFields(message) && typeof message['method'] === 'string' && message['id'] !== undefined;
}
