import { parseArgs } from 'node:util';
import { createProvider, type ProviderOptions } from './provider.js';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9000' },
    scopes: { type: 'string', default: 'mcp' },
    format: { type: 'string', default: 'jwt' },
    'token-seconds': { type: 'string', default: '300' },
    /** JSON, as the provider takes it. */
    clients: { type: 'string', default: '[]' },
    nonces: { type: 'boolean', default: false },
    'metadata-documents': { type: 'boolean', default: false },
  },
});
const issuer = `http://127.0.0.1:${values.port}`;
const provider = createProvider({
  issuer,
  scopes: values.scopes.split(' '),
  format: values.format === 'opaque' ? 'opaque' : 'jwt',
  tokenSeconds: Number(values['token-seconds']),
  clients: JSON.parse(values.clients) as NonNullable<ProviderOptions['clients']>,
  nonces: values.nonces,
  metadataDocuments: values['metadata-documents'],
});
provider.listen(Number(values.port), '127.0.0.1', () => console.log(`Authorization server: ${issuer}`));
