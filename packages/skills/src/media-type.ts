import { extname } from 'node:path';

const BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['.md', 'text/markdown'],
  ['.txt', 'text/plain'],
  ['.html', 'text/html'],
  ['.css', 'text/css'],
  ['.csv', 'text/csv'],
  ['.xml', 'application/xml'],
  ['.json', 'application/json'],
  ['.yaml', 'application/yaml'],
  ['.yml', 'application/yaml'],
  ['.js', 'text/javascript'],
  ['.mjs', 'text/javascript'],
  ['.ts', 'text/x-typescript'],
  ['.py', 'text/x-python'],
  ['.sh', 'application/x-sh'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.pdf', 'application/pdf'],
  ['.zip', 'application/zip'],
]);

/** The media type of a file, by the extension of its name; plain text or plain bytes when that says nothing. */
export function mediaTypeOf(name: string, isText: boolean): string {
  return (
    BY_EXTENSION.get(extname(name).toLowerCase()) ?? (isText ? 'text/plain' : 'application/octet-stream')
  );
}
