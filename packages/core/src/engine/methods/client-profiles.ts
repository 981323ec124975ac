import type { Implementation, Tool } from '../../protocol/descriptors.js';
import { type SchemaShape, shapeSchema } from '../../schema/index.js';

/** How the tools of a server are described to some clients, or to all. */
export interface ClientProfile extends SchemaShape {
  /**
   * Which clients, by the name in their `clientInfo`, in whole or by a pattern.
   * @default every client
   */
  readonly clients?: readonly (string | RegExp)[];
}

/** Client names are their own affair, so only so many are remembered. */
const MAX_NAME = 256;
const MAX_REMEMBERED = 1000;

/** Finds the profile of a client. */
export class ClientProfiles {
  readonly #byName = new Map<string, ClientProfile | undefined>();

  /** @param profiles the first that fits a client is its own. */
  constructor(private readonly profiles: readonly ClientProfile[]) {}

  /** Whether what a client is shown depends on which client it is. */
  get differ(): boolean {
    return this.profiles.some(({ clients }) => clients !== undefined);
  }

  /** The profile of a client; `undefined` for most. */
  of(client: Implementation | undefined): ClientProfile | undefined {
    if (this.profiles.length === 0) return undefined;
    const name = client?.name ?? '';
    if (this.#byName.has(name)) return this.#byName.get(name);
    const profile = this.profiles.find(({ clients }) => clients?.some((one) => fits(one, name)) ?? true);
    if (this.#byName.size < MAX_REMEMBERED && name.length <= MAX_NAME) this.#byName.set(name, profile);
    return profile;
  }
}

/** A tool as a profile describes it. */
export function shapeTool(tool: Tool, profile: ClientProfile | undefined): Tool {
  if (!profile) return tool;
  const { inputSchema, outputSchema } = tool;
  return {
    ...tool,
    inputSchema: shapeSchema(inputSchema, profile),
    ...(outputSchema ? { outputSchema: shapeSchema(outputSchema, profile) } : {}),
  };
}

function fits(wanted: string | RegExp, name: string): boolean {
  // A pattern with a state of its own, as /g has, would find every second time.
  return typeof wanted === 'string' ? wanted === name : name.search(wanted) >= 0;
}
