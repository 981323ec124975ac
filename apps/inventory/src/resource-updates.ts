/** Tells clients that a resource they have subscribed to has changed. */
export class ResourceUpdates {
  /** @param announce a function that receives the URI of the changed resource. */
  constructor(readonly announce: (uri: string) => void) {}
}
