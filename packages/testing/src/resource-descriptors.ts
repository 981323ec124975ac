import type { Annotations, Icon } from '@sigil/core';

interface Descriptor {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly mimeType?: string;
  readonly annotations?: Annotations;
  readonly _meta?: Record<string, unknown>;
}

/** A resource as `resources/list` shows it. */
export interface ResourceDescriptor extends Descriptor {
  readonly uri: string;
  /** Size of the raw contents in bytes. */
  readonly size?: number;
}

/** A resource template as `resources/templates/list` shows it. */
export interface ResourceTemplateDescriptor extends Descriptor {
  /** RFC 6570. */
  readonly uriTemplate: string;
}
