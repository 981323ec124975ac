import { Param, Resource, Service } from '@sigil/core';
import { RED_PIXEL_PNG } from './media.js';

/** A text resource, a binary resource, and a resource template that returns JSON. */
@Service()
export class Resources {
  @Resource('test://static-text', {
    title: 'Static text',
    description: 'A text that never changes',
    mimeType: 'text/plain',
    annotations: { audience: ['user', 'assistant'], priority: 0.8 },
    cache: { ttlMs: 3_600_000, cacheScope: 'public' },
  })
  staticText(): string {
    return 'This is the content of the static text resource.';
  }

  @Resource('test://static-binary', {
    title: 'Static picture',
    description: 'A picture of one red pixel',
    mimeType: 'image/png',
  })
  staticBinary(): Uint8Array {
    return Buffer.from(RED_PIXEL_PNG, 'base64');
  }

  @Resource('test://template/{id}/data', {
    title: 'Data by id',
    description: 'The data of any id',
    mimeType: 'application/json',
  })
  templateData(@Param('id') id: string): object {
    return { id, templateTest: true, data: `Data for ID: ${id}` };
  }
}
