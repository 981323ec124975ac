// CommonJS, as in metadata/reflect-metadata.cts. Within an object, because bundlers take a module that was an ES module apart.
import typedi = require('typedi');
const exported: { readonly typedi: typeof typedi } = { typedi };
export = exported;
