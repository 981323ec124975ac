// CommonJS, as in metadata/reflect-metadata.cts. Within an object, because bundlers take a module that was an ES module apart.
import ajv = require('ajv/dist/2020.js');
const exported: { readonly ajv: typeof ajv } = { ajv };
export = exported;
