import { Resource, Service } from '@sigil/core';

/** The URI of the watched resource. */
export const WATCHED_URI = 'test://watched-resource';

/** A resource that changes when a tool is called. */
@Service()
export class WatchedResource {
  #version = 1;

  @Resource(WATCHED_URI, { description: 'A resource to subscribe to', mimeType: 'text/plain' })
  watchedResource(): string {
    return `Watched resource, version ${this.#version}`;
  }

  /** Changes the resource. @returns the new version. */
  touch(): number {
    return ++this.#version;
  }
}
