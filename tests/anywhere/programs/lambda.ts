import { lambdaHandler } from '@sigil/lambda';
import { createStory } from './story.js';

export const handler = lambdaHandler(createStory);
