type Settings = Readonly<Record<string, unknown>>;

/** What a client can do for a server. */
export interface ClientCapabilities {
  readonly experimental?: Settings;
  readonly roots?: { readonly listChanged?: boolean };
  readonly sampling?: { readonly context?: Settings; readonly tools?: Settings };
  readonly elicitation?: { readonly form?: Settings; readonly url?: Settings };
  readonly extensions?: Readonly<Record<string, Settings>>;
}

/** What a server offers. Derived from what is registered, never configured. */
export interface ServerCapabilities {
  readonly experimental?: Settings;
  readonly logging?: Settings;
  readonly completions?: Settings;
  readonly prompts?: { readonly listChanged?: boolean };
  readonly resources?: { readonly listChanged?: boolean; readonly subscribe?: boolean };
  readonly tools?: { readonly listChanged?: boolean };
  readonly extensions?: Readonly<Record<string, Settings>>;
}
