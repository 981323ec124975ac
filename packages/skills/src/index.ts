export { skills } from './skills.js';
export type { SkillsOptions } from './options.js';
