/** Tells clients that a resource they have subscribed to has changed. */
export class ResourceUpdates {
  /** @param announce takes the URI of the resource. */
  constructor(readonly announce: (uri: string) => void) {}
}
