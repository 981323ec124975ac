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
