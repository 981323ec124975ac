/** A sentence with a pattern that needs two readings. */
export interface Finding {
  readonly path: string;
  readonly kind: 'comments' | 'messages' | 'pages';
  readonly line: number;
  readonly name: string;
  readonly sentence: string;
}
export function findPatterns(path: string, text: string): Finding[];
export function proseFiles(root: string): string[];
export function countPatterns(findings: readonly Finding[]): Record<string, Record<string, number>>;
