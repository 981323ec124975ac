// class-transformer ships no types for the modules that hold what its decorators recorded.
declare module 'class-transformer/cjs/storage.js' {
  export const defaultMetadataStorage: unknown;
}
declare module 'class-transformer/esm5/storage.js' {
  export const defaultMetadataStorage: unknown;
}
declare module 'class-transformer/esm2015/storage.js' {
  export const defaultMetadataStorage: unknown;
}
