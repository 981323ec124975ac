import { worker } from '@sigil/workers';
import { createStory } from './story.js';

export default worker(createStory);
