/** The templates there are, the one for beginners first. */
export const TEMPLATE_NAMES = ['minimal', 'http', 'full'] as const;

/** The name of a template. */
export type TemplateName = (typeof TEMPLATE_NAMES)[number];
