import type { FormLike } from '../context/questions.js';
import type { Container } from '../container/contract.js';
import type { ServerCapabilities } from '../protocol/protocol.js';
import type { Implementation } from '../protocol/descriptors.js';
import type { Logger } from '../protocol/logging.js';
import type { Registry } from '../registry/registry.js';
import type { CacheHints } from './cache-hints.js';
import type { ClientProfile } from './client-profiles.js';
import type { ChangeFeed } from './changes/change-feed.js';
import type { ExtensionFactory } from './extension.js';
import type { Limits } from './limits.js';
import type { RoundKeeper } from './rounds/round-keeper.js';
import type { ValuePlan } from '../schema/index.js';

/** What the engine is wired to. */
export interface EngineOptions {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly registry: Registry;
  readonly container: Container;
  readonly logger: Logger;
  readonly exposeErrors: boolean;
  /** Most entries on one page of a list; `undefined` for all on one page. */
  readonly pageSize: number | undefined;
  /** What changes, here and in the other processes that serve the app. */
  readonly changes: ChangeFeed;
  /** How long, and for whom, clients may keep results. */
  readonly cacheHints: CacheHints;
  readonly limits: Limits;
  /** Milliseconds a handler may take, where its definition does not say; `false` for no limit. */
  readonly timeoutMs: number | false | undefined;
  /** Capabilities outside the specification. */
  readonly experimental: ServerCapabilities['experimental'];
  /** Whether results of stateless revisions name the server. */
  readonly stampServerInfo: boolean;
  /** Keeps what the rounds of a request have brought so far. */
  readonly rounds: RoundKeeper;
  /** How tools are described to some clients. */
  readonly clientProfiles: readonly ClientProfile[];
  readonly extensions: readonly ExtensionFactory[];
  /** The plan of a form that handlers show. */
  readonly formPlan: (form: FormLike) => ValuePlan;
}
