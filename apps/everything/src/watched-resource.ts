import { Resource, Service } from '@sigil/core';

/** Where the watched resource is read. */
export const WATCHED_URI = 'test://watched-resource';

/** A resource that changes. */
@Service()
export class WatchedResource {
  #version = 1;

  @Resource(WATCHED_URI, { description: 'A resource to subscribe to', mimeType: 'text/plain' })
  watchedResource(): string {
    return `Watched resource, version ${this.#version}`;
  }

  /** Changes the resource. @returns the version it is at now. */
  touch(): number {
    return ++this.#version;
  }
}
