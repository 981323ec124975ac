// class-transformer ships no types for the module that holds what its decorators recorded.
declare module 'class-transformer/cjs/storage.js' {
  export const defaultMetadataStorage: unknown;
}
