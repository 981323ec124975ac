/** Notifies the subscribers of a resource that the resource has changed. */
export class ResourceUpdates {
  /** @param announce a function that receives the URI of the changed resource. */
  constructor(readonly announce: (uri: string) => void) {}
}
