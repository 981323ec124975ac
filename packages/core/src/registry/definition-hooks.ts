import type { DefinitionInfo } from '../context/request-context.js';
import type { Problem } from '../errors/definition-error.js';
import type { ResourceContents } from '../protocol/content.js';
import type { ToolAnnotations } from '../protocol/descriptors.js';

/** A definition as extensions see it: what is known before it is compiled. */
export interface DefinitionFacts extends DefinitionInfo {
  /** The place in the author's words: `Inventory.checkInventory`, or `defineTool('add')`. */
  readonly where: string;
  /** The `_meta` its author gave it, which clients see. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** What its author says of a tool's effects, as clients see it. */
  readonly annotations: ToolAnnotations | undefined;
  /** The MIME type of a resource or template, when its author gave one. */
  readonly mimeType: string | undefined;
}

/** Finds what serves a URI. */
export type FindResource = (uri: string) => DefinitionFacts | undefined;

/** How an extension takes part in the definitions of an app. Everything here happens once a definition, when it is added. */
export interface DefinitionHooks {
  /**
   * Finds everything wrong with what a definition says to the extension. The app refuses to start with it.
   *
   * @param find finds the resource or template that serves a URI, among all that are served by then.
   */
  check?(definition: DefinitionFacts, find: FindResource): readonly Problem[];
  /** Gives members to add to the `_meta` that clients see in lists. */
  describe?(definition: DefinitionFacts): Readonly<Record<string, unknown>> | undefined;
  /** Gives a function that changes what is read of a resource or template, each of its contents. */
  shapeContents?(definition: DefinitionFacts): ((contents: ResourceContents) => ResourceContents) | undefined;
  /** Gives members that the definition has in `app.contract()` beside what lists show. */
  promise?(definition: DefinitionFacts): Readonly<Record<string, unknown>> | undefined;
}
