import {
  content,
  type AudioContent,
  type ContentBlock,
  type EmbeddedResource,
  type ImageContent,
  type ResourceLink,
  resourceContents,
} from '@sigil/core/content';
import { Service, Tool } from '@sigil/core';
import { RED_PIXEL_PNG, SILENCE_WAV } from './media.js';

/** Tools that return every kind of content. */
@Service()
export class ContentTools {
  @Tool({ description: 'Returns a line of text', readOnly: true })
  testSimpleText(): string {
    return 'This is a simple text response for testing.';
  }

  @Tool({ description: 'Returns a picture', readOnly: true })
  testImageContent(): ImageContent {
    return content.image(RED_PIXEL_PNG, 'image/png');
  }

  @Tool({ description: 'Returns a recording', readOnly: true })
  testAudioContent(): AudioContent {
    // From bytes, where the picture is base64 already: both are fine.
    return content.audio(Buffer.from(SILENCE_WAV, 'base64'), 'audio/wav');
  }

  @Tool({ description: 'Returns a resource inside the result', readOnly: true })
  testEmbeddedResource(): EmbeddedResource {
    return content.resource(
      resourceContents.text('test://embedded-resource', 'This is an embedded resource content.'),
    );
  }

  @Tool({ description: 'Returns text, a picture and a resource in one result', readOnly: true })
  testMultipleContentTypes(): ContentBlock[] {
    const data = JSON.stringify({ test: 'data', value: 123 });
    return [
      content.text('Multiple content types test:'),
      content.image(RED_PIXEL_PNG, 'image/png'),
      content.resource(resourceContents.text('test://mixed-content-resource', data, 'application/json')),
    ];
  }

  @Tool({ description: 'Returns a link to a resource; the link is only for the user', readOnly: true })
  pointToText(): ResourceLink {
    return content.resourceLink('test://static-text', 'static_text', {
      annotations: { audience: ['user'], priority: 0.5 },
    });
  }
}
