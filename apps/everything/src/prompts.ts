import { Arg, Prompt, PromptContext, Service } from '@sigil/core';
import { message, content, type PromptMessage, resourceContents } from '@sigil/core/content';
import { RED_PIXEL_PNG } from './media.js';
import { ReviewRequest } from './review-request.js';

/** Prompts without arguments, with arguments, and with content other than text. */
@Service()
export class Prompts {
  @Prompt({ description: 'A prompt without arguments' })
  testSimplePrompt(): string {
    return 'This is a simple prompt for testing.';
  }

  @Prompt({ description: 'A prompt with two arguments' })
  testPromptWithArguments(
    @Arg('arg1', { description: 'The first argument' }) arg1: string,
    @Arg('arg2', { description: 'The second argument' }) arg2: string,
  ): PromptMessage {
    return message.user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`);
  }

  @Prompt({ description: 'A prompt that carries a resource' })
  testPromptWithEmbeddedResource(
    @Arg('resourceUri', { description: 'The URI for the embedded resource' }) resourceUri: string,
  ): PromptMessage[] {
    return [
      message.user(
        content.resource(resourceContents.text(resourceUri, 'Embedded resource content for testing.')),
      ),
      message.user('Please process the embedded resource above.'),
    ];
  }

  @Prompt({ description: 'A prompt that carries a picture' })
  testPromptWithImage(): PromptMessage[] {
    return [
      message.user(content.image(RED_PIXEL_PNG, 'image/png')),
      message.user('Please analyze the image above.'),
    ];
  }

  @Prompt({ title: 'Code review', description: 'Asks for a code review, with typed arguments' })
  reviewCode({ language, maxFindings, strict }: ReviewRequest, ctx: PromptContext): PromptMessage[] {
    ctx.log.debug({ prompt: ctx.prompt, language });
    const tone = strict ? 'Be strict.' : 'Be kind.';
    return [
      message.user(
        `Review the ${language} code that I paste next. Name at most ${maxFindings} findings. ${tone}`,
      ),
      message.assistant('Paste it, and I begin.'),
    ];
  }
}
