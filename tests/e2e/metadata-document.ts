import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OAuthClientMetadata } from '@modelcontextprotocol/client';

/** Why no certificate can be made here; undefined where one can. */
export const noOpenssl = spawnSync('openssl', ['version']).error
  ? 'no openssl: it is not installed'
  : undefined;

/** The document of a client whose id is its URL, over https (Client ID Metadata Documents). */
export class MetadataDocument {
  /** How often it was asked for. */
  asked = 0;

  private constructor(
    private readonly server: Server,
    private readonly folder: string,
  ) {}

  /** Where it is, which is the id of the client. */
  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}/client.json`;
  }

  /** The file of the certificate, which vouches for itself: who is to read the document has to trust it. */
  get certificate(): string {
    return join(this.folder, 'certificate.pem');
  }

  static async serve(metadata: OAuthClientMetadata): Promise<MetadataDocument> {
    const folder = await mkdtemp(join(tmpdir(), 'client-'));
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'],
      ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'],
      ...['-keyout', keyFile, '-out', certFile],
    ]);
    if (made.status !== 0) throw new Error(`openssl made no certificate: ${String(made.stderr)}`);
    const server = createServer({ key: await readFile(keyFile), cert: await readFile(certFile) });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const document = new MetadataDocument(server, folder);
    server.on('request', (_request, response) => {
      document.asked += 1;
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ ...metadata, client_id: document.url }));
    });
    return document;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
    await rm(this.folder, { recursive: true, force: true });
  }
}
