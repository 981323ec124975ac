import type { RequestContext } from '../context/context.js';
import type { Resource } from '../protocol/descriptors.js';
import type { MaybePromise } from '../protocol/maybe-promise.js';
import type { ValuesFor } from './uri-variables.js';

/** The first argument of a resource template's list function. It determines the page of resources to return. */
export interface ListRequest {
  /**
   * The `nextCursor` of the previous page; absent for the first page. Validate the cursor, because the client sends it.
   */
  readonly cursor?: string;
  /**
   * Maximum number of resources to return, starting at the cursor. If you return more, only the first `limit` resources
   * are used. To get the rest, Sigil calls your function again later, with the same cursor and a higher `limit`.
   */
  readonly limit: number;
}

/**
 * One resource of a template, as `resources/list` shows it. It has either a `uri`, or `variables`. In the second case,
 * the URI is built from the template and the variables.
 *
 * @typeParam U the URI template.
 */
export type ListedResource<U extends string = string> = Omit<Resource, 'uri'> &
  (
    | {
        /** A URI that the template matches, without the prefix of the module. */
        readonly uri: string;
        readonly variables?: undefined;
      }
    | {
        /** Values for the variables of the template. The URI of the resource is built from them. */
        readonly variables: ValuesFor<U>;
        readonly uri?: undefined;
      }
  );

/**
 * One page of the resources of a template.
 *
 * @typeParam U the URI template.
 */
export interface ResourcePage<U extends string = string> {
  readonly resources: Iterable<ListedResource<U>> | AsyncIterable<ListedResource<U>>;
  /** The cursor for the next page; absent on the last page. */
  readonly nextCursor?: string | undefined;
}

/**
 * Returns resources of a template for `resources/list`: one page, or all resources if there are few.
 *
 * @typeParam U the URI template.
 */
export type ListResources<U extends string = string> = (
  request: ListRequest,
  context: RequestContext,
) => MaybePromise<ResourcePage<U> | ResourcePage<U>['resources']>;
