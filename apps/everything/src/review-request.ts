import { Describe } from '@sigil/core';
import { IsBoolean, IsEnum, IsInt, Max, Min } from 'class-validator';

/** The programming languages of the code to review. */
export enum Language {
  TypeScript = 'typescript',
  Python = 'python',
  Rust = 'rust',
}

/**
 * The arguments of the review prompt. Clients send them as strings; the handler receives them in the types of this
 * class.
 */
export class ReviewRequest {
  @Describe('The language of the code')
  @IsEnum(Language)
  language!: Language;

  @Describe('Maximum number of findings')
  @IsInt()
  @Min(1)
  @Max(50)
  maxFindings: number = 5;

  @Describe('Whether the review is strict')
  @IsBoolean()
  strict: boolean = false;
}
