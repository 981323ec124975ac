/** Who a piece of content is for. */
export type Role = 'user' | 'assistant';

/** Hints about how a client should use a piece of content. */
export interface Annotations {
  readonly audience?: readonly Role[];
  /** From 0 (least important) to 1 (effectively required). */
  readonly priority?: number;
  /** ISO 8601 time of the last change. Since 2025-06-18. */
  readonly lastModified?: string;
}

interface ContentBase {
  readonly annotations?: Annotations;
  readonly _meta?: Record<string, unknown>;
}

/** Text for the model or the user. */
export interface TextContent extends ContentBase {
  readonly type: 'text';
  readonly text: string;
}

/** A picture, base64-encoded. */
export interface ImageContent extends ContentBase {
  readonly type: 'image';
  readonly data: string;
  readonly mimeType: string;
}

/** A recording, base64-encoded. Since 2025-03-26. */
export interface AudioContent extends ContentBase {
  readonly type: 'audio';
  readonly data: string;
  readonly mimeType: string;
}

/** The text of a resource. */
export interface TextResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text: string;
  readonly _meta?: Record<string, unknown>;
}

/** The bytes of a resource, base64-encoded. */
export interface BlobResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly blob: string;
  readonly _meta?: Record<string, unknown>;
}

/** The contents of a resource, as text or as bytes. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

/** A resource carried inside a result. */
export interface EmbeddedResource extends ContentBase {
  readonly type: 'resource';
  readonly resource: ResourceContents;
}

/** A pointer to a resource that the client may read. Since 2025-06-18. */
export interface ResourceLink extends ContentBase {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly icons?: readonly Icon[];
}

/** One block of a tool result or prompt message. */
export type ContentBlock = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;

/** A picture that stands for a definition or an implementation. Since 2025-11-25. */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}
