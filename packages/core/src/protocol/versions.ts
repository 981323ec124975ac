/** Every protocol revision Sigil speaks, oldest first. */
export const PROTOCOL_VERSIONS = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
] as const;

/** A protocol revision Sigil speaks. */
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** The newest revision that opens with an `initialize` handshake. */
export const LATEST_LEGACY_VERSION: ProtocolVersion = '2025-11-25';

/** The newest revision, which carries its version on every request. */
export const LATEST_VERSION: ProtocolVersion = '2026-07-28';

/** What a protocol revision can do, as far as those who carry or open its messages must know. */
export interface RevisionFeatures {
  /** Whether clients open a session with `initialize`; else every request carries its version in `_meta`. */
  readonly sessions: boolean;
  /** How a server may ask the user: by a form, by a page to open. */
  readonly elicitation: { readonly form: boolean; readonly url: boolean };
  /** Whether a server may give tools to the client's model. */
  readonly samplingTools: boolean;
}

/** What each revision can do. Compare these and never the names of revisions. */
export const REVISION_FEATURES: Readonly<Record<ProtocolVersion, RevisionFeatures>> = {
  '2024-11-05': { sessions: true, elicitation: { form: false, url: false }, samplingTools: false },
  '2025-03-26': { sessions: true, elicitation: { form: false, url: false }, samplingTools: false },
  '2025-06-18': { sessions: true, elicitation: { form: true, url: false }, samplingTools: false },
  '2025-11-25': { sessions: true, elicitation: { form: true, url: true }, samplingTools: true },
  '2026-07-28': { sessions: false, elicitation: { form: true, url: true }, samplingTools: true },
};
